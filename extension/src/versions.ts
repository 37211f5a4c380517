/**
 * Which versions go together: this extension with the front end it runs in, and with the Python package of a kernel.
 */

/** The version of this extension; a test holds it to package.json, and another to the Python package's. */
export const VERSION = '0.1.0';

/** How a version differs from what is wanted. */
export type Difference = 'older' | 'newer';

interface Supported {
  readonly from: readonly [number, number];
  readonly before: readonly [number, number];
  readonly pip: string;
}

/** The front ends this extension is made for, by the name they give themselves. */
const FRONT_ENDS: Readonly<Record<string, Supported>> = {
  JupyterLab: { from: [4, 4], before: [5, 0], pip: 'jupyterlab' },
  'Jupyter Notebook': { from: [7, 4], before: [8, 0], pip: 'notebook' }
};

export interface FrontEndTrouble {
  readonly difference: Difference;
  readonly name: string;
  readonly version: string;
  readonly wanted: string;
  readonly command: string;
}

/** What is wrong with the front end; null where nothing is, or where it is one we know nothing of. */
export function frontEndTrouble(name: string, version: string): FrontEndTrouble | null {
  const supported = Object.hasOwn(FRONT_ENDS, name) ? FRONT_ENDS[name] : undefined;
  const release = releaseOf(version);
  if (!supported || !release) {
    return null;
  }
  if (compare(release, supported.from) < 0) {
    const wanted = supported.from.join('.');
    return { difference: 'older', name, version, wanted, command: `pip install --upgrade ${supported.pip}` };
  }
  if (compare(release, supported.before) >= 0) {
    const wanted = String(supported.before[0] - 1);
    return { difference: 'newer', name, version, wanted, command: 'pip install --upgrade kgnb' };
  }
  return null;
}

export interface PackageTrouble {
  readonly difference: Difference;
  readonly version: string;
  readonly command: string;
}

/**
 * What is wrong with the Python package of a kernel: it is of another series than this extension. Releases of a series
 * (0.3.x, or 2.x) understand each other. What does not read as a version says nothing, and never becomes a command.
 */
export function packageTrouble(version: string, extension: string = VERSION): PackageTrouble | null {
  const [theirs, ours] = [releaseOf(version), releaseOf(extension)];
  if (!theirs || !ours) {
    return null;
  }
  const difference = compare(series(theirs), series(ours));
  if (difference === 0) {
    return null;
  }
  // The newer one wins: what it wrote, the older one may not read.
  return difference < 0
    ? { difference: 'older', version, command: `pip install kgnb==${extension}` }
    : { difference: 'newer', version, command: `pip install kgnb==${version}` };
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
