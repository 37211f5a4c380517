/**
 * The notebooks a person can begin with: an empty one, one for each task, and the tutorials. All run as they are, on data
 * that comes with kgnb; those for a task say where one's own files go.
 */

import tasks from './task-templates.json';
import tutorials from './templates.json';

export interface Template {
  readonly id: string;
  readonly title: string;
  readonly caption: string;
  readonly cells: readonly TemplateCell[];
}

export interface TemplateCell {
  readonly kind: 'code' | 'markdown';
  readonly source: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** The eight tutorials, made from their sources by `notebooks/tutorials/build.py`, after an empty notebook and the tasks. */
export const TEMPLATES: readonly Template[] = [
  {
    id: 'empty',
    title: 'Empty',
    caption: 'kgnb is loaded; the rest is yours.',
    cells: [
      { kind: 'code', source: '%load_ext kgnb' },
      { kind: 'code', source: '' }
    ]
  },
  ...(tasks as readonly Template[]),
  ...(tutorials as readonly Template[])
];

/** The notebook's JSON, with reproducible cell ids. */
export function notebookOf(
  template: Template,
  kernel: { name: string; display_name: string }
): Record<string, unknown> {
  return {
    cells: template.cells.map((cell, at) => ({
      id: `${template.id}-${at + 1}`,
      cell_type: cell.kind,
      metadata: cell.metadata ?? {},
      source: cell.source,
      ...(cell.kind === 'code' ? { execution_count: null, outputs: [] } : {})
    })),
    metadata: {
      kernelspec: { ...kernel, language: 'python' },
      language_info: { name: 'python' }
    },
    nbformat: 4,
    nbformat_minor: 5
  };
}

/** The server's default kernel if it is a Python kernel, else the first one that is. */
export function pythonKernel(specs: KernelSpecs | null): { name: string; display_name: string } {
  const known = Object.values(specs?.kernelspecs ?? {}).filter(spec => spec?.language.toLowerCase() === 'python');
  const chosen = known.find(spec => spec?.name === specs?.default) ?? known[0];
  return { name: chosen?.name ?? 'python3', display_name: chosen?.display_name ?? 'Python 3' };
}

interface KernelSpecs {
  readonly default: string;
  readonly kernelspecs: Readonly<Record<string, { name: string; display_name: string; language: string } | undefined>>;
}
