import { describe, expect, it } from 'vitest';
import manifest from '../package.json';
import { frontEndTrouble, packageTrouble, VERSION } from '../src/versions';

const SHOWN = 140; // characters JupyterLab shows of a notification

describe('the front end', () => {
  it.each(['4.4.0', '4.5.0a4', '4.10.0', '4.7.0.dev0'])('JupyterLab %s is fine', version => {
    expect(frontEndTrouble('JupyterLab', version)).toBeNull();
  });

  it.each([
    ['JupyterLab', '4.3.8', '4.4', 'jupyterlab'],
    ['JupyterLab', '3.6.0', '4.4', 'jupyterlab'],
    ['Jupyter Notebook', '7.3.3', '7.4', 'notebook']
  ])('%s %s is too old, and the message says what to do', (name, version, wanted, pip) => {
    const command = `pip install --upgrade ${pip}`;
    const said = `kgnb needs ${name} ${wanted} or newer, and this is ${version}. To mend it: ${command}`;
    expect(frontEndTrouble(name, version)).toEqual({ said, command });
    expect(said.length).toBeLessThanOrEqual(SHOWN);
  });

  it.each([
    ['JupyterLab', '5.0.0rc1', '4'],
    ['Jupyter Notebook', '8.1.0', '7']
  ])('%s %s is too new', (name, version, wanted) => {
    const command = 'pip install --upgrade kgnb';
    const said = `This kgnb is made for ${name} up to ${wanted}, and this is ${version}. To mend it: ${command}`;
    expect(frontEndTrouble(name, version)).toEqual({ said, command });
    expect(said.length).toBeLessThanOrEqual(SHOWN);
  });

  it.each([
    ['Somebody’s own', '1.0.0'],
    ['constructor', '1.0.0'],
    ['JupyterLab', 'unknown'],
    ['JupyterLab', '']
  ])('of %s %s nothing is said', (name, version) => {
    expect(frontEndTrouble(name, version)).toBeNull();
  });
});

describe('the package in a kernel', () => {
  it('has the version of the extension', () => {
    expect(VERSION).toBe(manifest.version);
    expect(packageTrouble(VERSION)).toBeNull();
  });

  it.each([
    ['0.3.0', '0.3.9'],
    ['0.3.1.dev4+g1a2b3c', '0.3.0'],
    ['0.3.0rc1', '0.3.0'],
    ['1.0.0', '1.9.2'],
    ['2', '2.4.1']
  ])('%s goes with %s', (version, extension) => {
    expect(packageTrouble(version, extension)).toBeNull();
    expect(packageTrouble(extension, version)).toBeNull();
  });

  it.each([
    ['0.1.0', '0.2.0'],
    ['0.9.0', '0.10.0'],
    ['0.9.3', '1.0.0'],
    ['1.12.0', '2.0.0']
  ])('%s is older than %s, and the other way round newer', (older, newer) => {
    const command = `pip install kgnb==${newer}`;
    const mends = [
      [
        packageTrouble(older, newer),
        `kgnb ${older}, Jupyter has kgnb ${newer}. In the kernel’s environment: ${command}`
      ],
      [packageTrouble(newer, older), `kgnb ${newer}, Jupyter has kgnb ${older}. In Jupyter’s environment: ${command}`]
    ] as const;
    for (const [trouble, said] of mends) {
      expect(trouble?.command).toBe(command);
      expect(trouble?.said).toContain(said);
      expect(trouble?.said.length).toBeLessThanOrEqual(SHOWN);
    }
  });

  it.each(['', 'unknown', '9.0; rm -rf ~', '9.0\n9.0', '$(id)', '9.0 --index-url http://x', `9.${'0'.repeat(99)}`])(
    'what is no version never becomes a command: %j',
    version => {
      expect(packageTrouble(version, '0.1.0')).toBeNull();
    }
  );
});
