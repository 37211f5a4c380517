/**
 * A dialog to choose a template in: a list of radio buttons, so that arrow keys and screen readers know what to do.
 */

import { Dialog, showDialog } from '@jupyterlab/apputils';
import { Widget } from '@lumino/widgets';
import { element, freshId } from './dom';
import type { Template } from './templates';
import type { Words } from './words';

class Choice extends Widget implements Dialog.IBodyWidget {
  private chosen: string;

  constructor(templates: readonly Template[], words: Words) {
    super();
    this.addClass('kgnb-choice');
    this.chosen = templates[0]?.id ?? '';
    const name = freshId('template');
    this.node.setAttribute('role', 'radiogroup');
    this.node.setAttribute('aria-label', words.chooseTemplate);
    this.node.append(...templates.map(template => this.drawTemplate(template, name, words)));
  }

  getValue(): string {
    return this.chosen;
  }

  private drawTemplate(template: Template, name: string, words: Words): HTMLElement {
    const input = element('input', '', { type: 'radio', name, value: template.id });
    input.checked = template.id === this.chosen;
    input.addEventListener('change', () => {
      this.chosen = template.id;
    });
    const title = element('span', 'kgnb-choice-title', {}, words.template(template.title));
    const caption = element('span', 'kgnb-choice-caption', {}, words.template(template.caption));
    return element('label', 'kgnb-choice-item', {}, input, element('span', '', {}, title, caption));
  }
}

/** The template a person chooses, or null if none. */
export async function chooseTemplate(templates: readonly Template[], words: Words): Promise<Template | null> {
  const result = await showDialog({
    title: words.newNotebook,
    body: new Choice(templates, words),
    buttons: [Dialog.cancelButton(), Dialog.okButton({ label: words.create })],
    focusNodeSelector: 'input:checked'
  });
  return (result.button.accept ? templates.find(template => template.id === result.value) : null) ?? null;
}
