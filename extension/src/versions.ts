/**
 * Which versions go together: this extension with the front end it runs in, and with the Python package of a kernel.
 */

import { trans } from './wording';

/** The version of this extension; tests compare it with package.json and the Python package. */
export const VERSION = '0.1.0';

/** An incompatibility in words, and the command that fixes it. */
export interface Trouble {
  readonly said: string;
  readonly command: string;
}

interface Supported {
  readonly from: readonly [number, number];
  readonly before: readonly [number, number];
  readonly pip: string;
}

/** The supported front ends, by their application names. */
const FRONT_ENDS: Readonly<Record<string, Supported>> = {
  JupyterLab: { from: [4, 4], before: [5, 0], pip: 'jupyterlab' },
  'Jupyter Notebook': { from: [7, 4], before: [8, 0], pip: 'notebook' }
};

/** The incompatibility with the front end, if any; null for unknown front ends. */
export function frontEndTrouble(name: string, version: string): Trouble | null {
  const supported = Object.hasOwn(FRONT_ENDS, name) ? FRONT_ENDS[name] : undefined;
  const release = releaseOf(version);
  if (!supported || !release) {
    return null;
  }
  const old = compare(release, supported.from) < 0;
  if (!old && compare(release, supported.before) < 0) {
    return null;
  }
  const command = `pip install --upgrade ${old ? supported.pip : 'kgnb'}`;
  const wanted = old ? supported.from.join('.') : String(supported.before[0] - 1);
  const said = old
    ? 'kgnb needs %1 %2 or newer, and this is %3. To mend it: %4'
    : 'This kgnb is made for %1 up to %2, and this is %3. To mend it: %4';
  return { said: trans.__(said, name, wanted, version, command), command };
}

/**
 * What is wrong with the Python package of a kernel: it is of another series than this extension. Releases of a series
 * (0.3.x, or 2.x) understand each other. What does not read as a version says nothing, and never becomes a command.
 */
export function packageTrouble(version: string, extension: string = VERSION): Trouble | null {
  const [theirs, ours] = [releaseOf(version), releaseOf(extension)];
  if (!theirs || !ours) {
    return null;
  }
  const difference = compare(series(theirs), series(ours));
  if (difference === 0) {
    return null;
  }
  // The newer one wins: the older one may not read what it wrote.
  const command = `pip install kgnb==${difference < 0 ? extension : version}`;
  const said =
    difference < 0
      ? 'This kernel has kgnb %1, Jupyter has kgnb %2. In the kernel’s environment: %3, then restart the kernel.'
      : 'This kernel has kgnb %1, Jupyter has kgnb %2. In Jupyter’s environment: %3, then restart it.';
  return { said: trans.__(said, version, extension, command), command };
}

type Release = readonly [number, number];

function releaseOf(version: string): Release | null {
  const found = /^(\d{1,6})(?:\.(\d{1,6}))?(?:[.+\-a-z][.+\-0-9A-Za-z]{0,30})?$/.exec(version);
  return found ? [Number(found[1]), Number(found[2] ?? 0)] : null;
}

function series([major, minor]: Release): Release {
  return major === 0 ? [0, minor] : [major, 0];
}

function compare(one: Release, other: Release): number {
  return one[0] - other[0] || one[1] - other[1];
}
