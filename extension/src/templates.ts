/**
 * The notebooks a person can begin with. Every one runs from top to bottom as it is, on data that comes with kgnb.
 */

export interface Template {
  readonly id: string;
  readonly title: string;
  readonly caption: string;
  readonly cells: readonly TemplateCell[];
}

export interface TemplateCell {
  readonly kind: 'code' | 'markdown';
  readonly source: string;
}

const text = (...lines: string[]): TemplateCell => ({ kind: 'markdown', source: lines.join('\n') });
const code = (...lines: string[]): TemplateCell => ({ kind: 'code', source: lines.join('\n') });
const LOAD = code('%load_ext kgnb');

export const TEMPLATES: readonly Template[] = [
  {
    id: 'empty',
    title: 'Empty',
    caption: 'kgnb is loaded; the rest is yours.',
    cells: [LOAD, code('')]
  },
  {
    id: 'sparql',
    title: 'Query a graph with SPARQL',
    caption: 'Open a graph, look at its schema, ask it.',
    cells: [
      text(
        '# Query a graph',
        '',
        'The graph of the mountain huts comes with kgnb. Put your own file or endpoint in its place.'
      ),
      LOAD,
      code('%kg open huts:graph'),
      text('What is in it? Boxes are classes, lines are the properties that join them.'),
      code('%kg schema'),
      text('Press Tab after a part of a label, in any language: `hütt` finds the class of huts.'),
      code(
        '%%sparql',
        'SELECT ?hut ?name ?altitude',
        'WHERE {',
        '  ?hut a :StaffedHut ;',
        '       rdfs:label ?name ;',
        '       :altitude ?altitude .',
        '}',
        'ORDER BY DESC(?altitude)',
        'LIMIT 20'
      ),
      code('%%sparql', 'CONSTRUCT { ?hut :locatedIn ?valley }', 'WHERE { ?hut a :StaffedHut ; :locatedIn ?valley }')
    ]
  },
  {
    id: 'match',
    title: 'Match two ontologies',
    caption: 'Find which classes and properties mean the same.',
    cells: [
      text('# Match two ontologies', '', 'Name your own files in place of `huts:alpine` and `huts:refuge`.'),
      LOAD,
      code('%om start huts:alpine huts:refuge --context "mountain huts" --reference huts:reference'),
      text('All six stages at once; the panel at the left inserts them one by one.'),
      code('%om run'),
      code('%om picture'),
      text('How good is it? The reference was made by hand.'),
      code('%om evaluate'),
      code('%om trace')
    ]
  },
  {
    id: 'ask',
    title: 'Ask a graph',
    caption: 'Questions in plain words, answers with their proof.',
    cells: [
      text('# Ask a graph', '', 'Any graph will do: a file, a folder, an endpoint.'),
      LOAD,
      code('%qa start huts:graph'),
      code('%qa ask "Where does the warden of the Sorne Refuge live?"'),
      code('%qa ask "Which staffed hut is the highest?"'),
      text('How was it read, round by round?'),
      code('%qa explain'),
      code('%qa trace')
    ]
  },
  {
    id: 'align',
    title: 'Align two graphs',
    caption: 'Find which entities of two graphs are the same thing.',
    cells: [
      text('# Align two graphs', '', 'Two unions list the huts of one watershed, one in German, one in French.'),
      LOAD,
      code('%ea start huts:hollenmark huts:corvane --reference huts:entity-reference --embedder characters'),
      code('%ea run --judge rule'),
      code('%ea evaluate'),
      code('%ea explain steinkar-biwak'),
      code('%ea trace')
    ]
  },
  {
    id: 'build',
    title: 'Build a graph from documents',
    caption: 'An ontology becomes tools that write valid facts only.',
    cells: [
      text(
        '# Build a graph from documents',
        '',
        'Fifteen notes of hut kitchens, and an ontology that says what may be stated.'
      ),
      LOAD,
      code('%kgc compile huts:kitchen --shapes huts:kitchen-shapes'),
      code('%kgc plan'),
      code('%kgc instantiate huts:kitchen-notes --judge rule'),
      code('%kgc picture'),
      text('Every fact knows its words; and which things does the network know already?'),
      code('%kgc explain smoked ham'),
      code('%kgc ground huts:pantry'),
      code('%kgc trace')
    ]
  }
];

/** A notebook as it is saved, with fresh cell ids that are the same every time. */
export function notebookOf(
  template: Template,
  kernel: { name: string; display_name: string }
): Record<string, unknown> {
  return {
    cells: template.cells.map((cell, at) => ({
      id: `${template.id}-${at + 1}`,
      cell_type: cell.kind,
      metadata: {},
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

/** The kernel to begin with: the server's own choice if it speaks Python, else the first that does. */
export function pythonKernel(specs: KernelSpecs | null): { name: string; display_name: string } {
  const known = Object.values(specs?.kernelspecs ?? {}).filter(spec => spec?.language.toLowerCase() === 'python');
  const chosen = known.find(spec => spec?.name === specs?.default) ?? known[0];
  return { name: chosen?.name ?? 'python3', display_name: chosen?.display_name ?? 'Python 3' };
}

interface KernelSpecs {
  readonly default: string;
  readonly kernelspecs: Readonly<Record<string, { name: string; display_name: string; language: string } | undefined>>;
}
