import type { IEditorLanguage } from '@jupyterlab/codemirror';
import { describe, expect, it } from 'vitest';
import { LanguageSupport, StreamLanguage } from '@codemirror/language';
import { addLanguages } from '../src/languages';
import { turtleMode } from '../src/turtle-mode';

interface Registry {
  languages: IEditorLanguage[];
  getLanguages(): IEditorLanguage[];
  findByMIME(mime: string | readonly string[]): IEditorLanguage | null;
  addLanguage(language: IEditorLanguage): void;
}

function registry(...languages: IEditorLanguage[]): Registry {
  return {
    languages,
    getLanguages: () => languages,
    findByMIME: (mime: string | readonly string[]) => languages.find(language => language.mime === mime) ?? null,
    addLanguage: (language: IEditorLanguage) => {
      languages.push(language);
    }
  };
}

describe('languages', () => {
  it('are added where the registry has none', () => {
    const empty = registry();
    addLanguages(empty);
    expect(empty.languages.map(language => language.name).slice(0, 4)).toEqual([
      'SPARQL',
      'Turtle',
      'TriG',
      'Notation3'
    ]);
    expect(empty.languages.length).toBe(7);
  });

  it('take the place of the modes that JupyterLab has for such files, once however often they are added', () => {
    const turtle: IEditorLanguage = { name: 'Turtle', mime: 'text/turtle', extensions: ['ttl'] };
    const full = registry(turtle);
    addLanguages(full);
    addLanguages(full);
    expect(full.languages.filter(language => language.mime === 'text/turtle')).toEqual([turtle]);
    expect(turtle.support?.language.name).toBe('turtle');
    expect(full.languages.length).toBe(7);
  });

  it('of RDF/XML take the colours of XML, and what JupyterLab has for JSON-LD is kept, with a check', async () => {
    const load = (): Promise<LanguageSupport> =>
      Promise.resolve(new LanguageSupport(StreamLanguage.define(turtleMode)));
    const xml: IEditorLanguage = { name: 'XML', mime: ['application/xml', 'text/xml'], extensions: ['xml'], load };
    const json: IEditorLanguage = { name: 'JSON-LD', mime: 'application/ld+json', extensions: ['jsonld'], load };
    const full = registry(xml, json);
    full.findByMIME = mime =>
      full.languages.find(({ mime: own }) => own === mime || own.includes(String(mime))) ?? null;
    addLanguages(full);
    addLanguages(full);
    const rdf = full.languages.filter(({ extensions }) => extensions?.includes('owl'));
    expect(rdf.map(({ name }) => name)).toEqual(['RDF/XML']);
    for (const language of [...rdf, json]) {
      expect((await language.load?.())?.support).toHaveLength(2);
    }
    expect(xml.load).toBe(load);
  });
});
