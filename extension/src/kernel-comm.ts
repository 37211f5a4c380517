/**
 * Questions to the kernel over one comm each: numbered, answered once, given up when the kernel goes.
 */

import type { Kernel } from '@jupyterlab/services';
import type { JSONObject } from '@lumino/coreutils';
import type { JsonObject } from './json';

/** No answer will come: kgnb is not loaded in the kernel, or the kernel is gone. */
export class NobodyThere extends Error {}

interface Waiting {
  readonly answer: (data: JsonObject) => void;
  readonly refuse: (error: Error) => void;
}

export class KernelComm {
  private comm: Kernel.IComm | null = null;
  private last = 0;
  private readonly waiting = new Map<number, Waiting>();

  /** ``told`` gets the kernel's unsolicited messages. */
  constructor(
    private readonly kernel: Kernel.IKernelConnection,
    private readonly target: string,
    private readonly told: (data: JsonObject) => void = () => undefined
  ) {}

  ask(question: JSONObject): Promise<JsonObject> {
    const comm = this.opened();
    this.last += 1;
    const id = this.last;
    return new Promise((answer, refuse) => {
      this.waiting.set(id, { answer, refuse });
      comm.send({ ...question, id });
    });
  }

  close(): void {
    this.refuseAll();
    const { comm, kernel } = this;
    this.comm = null;
    if (comm && !comm.isDisposed && !kernel.isDisposed && kernel.connectionStatus === 'connected') {
      comm.close();
    }
  }

  private opened(): Kernel.IComm {
    if (this.comm && !this.comm.isDisposed) {
      return this.comm;
    }
    this.refuseAll(); // those that were asked before a restart
    const comm = this.kernel.createComm(this.target);
    comm.onMsg = message => this.take(message.content.data);
    // A kernel without kgnb answers an opened comm by closing it.
    comm.onClose = () => {
      this.comm = null;
      this.refuseAll();
    };
    comm.open();
    this.comm = comm;
    return comm;
  }

  private take(data: JsonObject): void {
    const id = data.id;
    const waiting = typeof id === 'number' ? this.waiting.get(id) : undefined;
    if (waiting && typeof id === 'number') {
      this.waiting.delete(id);
      waiting.answer(data);
    } else {
      this.told(data);
    }
  }

  private refuseAll(): void {
    const refused = [...this.waiting.values()];
    this.waiting.clear();
    for (const { refuse } of refused) {
      refuse(new NobodyThere('kgnb is not loaded in this kernel'));
    }
  }
}
