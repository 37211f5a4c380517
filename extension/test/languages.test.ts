import type { IEditorLanguage } from '@jupyterlab/codemirror';
import { describe, expect, it } from 'vitest';
import { addLanguages } from '../src/languages';

interface Registry {
  languages: IEditorLanguage[];
  findByMIME(mime: string | readonly string[]): IEditorLanguage | null;
  addLanguage(language: IEditorLanguage): void;
}

function registry(...languages: IEditorLanguage[]): Registry {
  return {
    languages,
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
    expect(empty.languages.map(language => language.name).slice(0, 2)).toEqual(['SPARQL', 'Turtle']);
    expect(empty.languages.length).toBe(5);
  });

  it('take the place of the modes that JupyterLab has for such files, once however often they are added', () => {
    const turtle: IEditorLanguage = { name: 'Turtle', mime: 'text/turtle', extensions: ['ttl'] };
    const full = registry(turtle);
    addLanguages(full);
    addLanguages(full);
    expect(full.languages.filter(language => language.mime === 'text/turtle')).toEqual([turtle]);
    expect(turtle.support?.language.name).toBe('turtle');
    expect(full.languages.length).toBe(5);
  });
});
