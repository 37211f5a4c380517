import { describe, expect, it } from 'vitest';
import { notebookOf, pythonKernel, TEMPLATES } from '../src/templates';

const KERNEL = { name: 'python3', display_name: 'Python 3' };

describe('a template', () => {
  it.each(TEMPLATES.map(template => [template.id, template] as const))(
    '%s is a notebook that loads kgnb',
    (_, template) => {
      const made = notebookOf(template, KERNEL) as { cells: { id: string; source: string }[]; nbformat: number };
      expect(made.nbformat).toBe(4);
      expect(made.cells.map(cell => cell.source)).toSatisfy((sources: string[]) =>
        sources.some(source => source.startsWith('%load_ext kgnb'))
      );
      expect(new Set(made.cells.map(cell => cell.id)).size).toBe(made.cells.length);
    }
  );
});

describe('the kernel a new notebook begins with', () => {
  const spec = (name: string, language: string): { name: string; display_name: string; language: string } => ({
    name,
    language,
    display_name: name
  });
  it("is the server's choice if that speaks Python, else the first that does", () => {
    const kernelspecs = { ir: spec('ir', 'R'), py: spec('py', 'python'), other: spec('other', 'Python') };
    expect(pythonKernel({ default: 'other', kernelspecs }).name).toBe('other');
    expect(pythonKernel({ default: 'ir', kernelspecs }).name).toBe('py');
    expect(pythonKernel(null).name).toBe('python3');
  });
});
