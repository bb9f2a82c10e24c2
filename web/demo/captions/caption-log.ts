/**
 * Writes the captions down. A screen reader hears each sentence once, when it is whole: what is still being said stands in
 * a part that is hidden from it. Only what has changed is touched.
 */

import { type Language, TEXTS } from '../texts/languages.ts';
import type { Caption, Captions } from './captions.ts';
import { sentencesOf } from './sentences.ts';

/** @param list holds nothing but what is written here */
export function writeCaptions(list: HTMLElement, captions: Captions, language: Language): void {
  const spoken = captions.filter(({ text }) => text.trim() !== '');
  const paragraphs = new Map(Array.from(list.children, (child) => [child.id, child]));
  for (const [index, caption] of spoken.entries()) {
    const paragraph = paragraphs.get(idOf(caption)) ?? newParagraph(caption, language);
    paragraphs.delete(paragraph.id);
    if (list.children[index] !== paragraph) {
      list.insertBefore(paragraph, list.children[index] ?? null);
    }
    writeSentences(paragraph, caption, language);
  }
  for (const leftOver of paragraphs.values()) {
    leftOver.remove();
  }
}

/** Named so that no item of OpenAI's can take the name of a part of the page. */
function idOf({ id }: Caption): string {
  return `said-${id}`;
}

function newParagraph(caption: Caption, language: Language): HTMLElement {
  const paragraph = document.createElement('p');
  paragraph.id = idOf(caption);
  paragraph.className = caption.speaker;
  const begun = document.createElement('span');
  begun.ariaHidden = 'true';
  paragraph.append(textElement('b', TEXTS[language][caption.speaker]), begun);
  return paragraph;
}

/** In the paragraph: the name, the sentences that are whole, the one that has begun. */
function writeSentences(paragraph: Element, { text, finished }: Caption, language: Language): void {
  const { whole, begun } = sentencesOf(text, finished, language);
  const [, ...spans] = paragraph.children;
  const last = spans.pop();
  for (const [index, sentence] of whole.entries()) {
    const span = spans[index];
    if (span === undefined) {
      last?.before(textElement('span', sentence));
    } else {
      writeText(span, sentence);
    }
  }
  for (const span of spans.slice(whole.length)) {
    span.remove();
  }
  if (last !== undefined) {
    writeText(last, begun);
  }
}

function textElement(tag: 'b' | 'span', text: string): HTMLElement {
  const element = document.createElement(tag);
  element.textContent = text;
  return element;
}

/** Only what has changed: a screen reader may say again whatever is written again. */
export function writeText(element: Element, text: string): void {
  if (element.textContent !== text) {
    element.textContent = text;
  }
}
