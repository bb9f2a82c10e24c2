/**
 * Writes the captions to the page. A screen reader reads each sentence once, when it is complete: an unfinished sentence is in
 * an element that is hidden from it. Only elements whose text has changed are updated.
 */

import { type Language, TEXTS } from '../texts/languages.ts';
import type { Caption, Captions } from './captions.ts';
import { sentencesOf } from './sentences.ts';

/** @param list an element whose content only this function writes */
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
  for (const obsolete of paragraphs.values()) {
    obsolete.remove();
  }
}

/** The prefix keeps the id of an OpenAI item from matching the id of another element of the page. */
function idOf({ id }: Caption): string {
  return `said-${id}`;
}

function newParagraph(caption: Caption, language: Language): HTMLElement {
  const paragraph = document.createElement('p');
  paragraph.id = idOf(caption);
  paragraph.className = caption.speaker;
  const unfinished = document.createElement('span');
  unfinished.ariaHidden = 'true';
  paragraph.append(textElement('b', TEXTS[language][caption.speaker]), unfinished);
  return paragraph;
}

/** A paragraph contains the speaker's name, the complete sentences, and the unfinished one. */
function writeSentences(paragraph: Element, { text, finished }: Caption, language: Language): void {
  const { complete, unfinished } = sentencesOf(text, finished, language);
  const [, ...spans] = paragraph.children;
  const last = spans.pop();
  for (const [index, sentence] of complete.entries()) {
    const span = spans[index];
    if (span === undefined) {
      last?.before(textElement('span', sentence));
    } else {
      writeText(span, sentence);
    }
  }
  for (const span of spans.slice(complete.length)) {
    span.remove();
  }
  if (last !== undefined) {
    writeText(last, unfinished);
  }
}

function textElement(tag: 'b' | 'span', text: string): HTMLElement {
  const element = document.createElement(tag);
  element.textContent = text;
  return element;
}

/** Writes only a changed text: a screen reader may repeat a text that is written again. */
export function writeText(element: Element, text: string): void {
  if (element.textContent !== text) {
    element.textContent = text;
  }
}
