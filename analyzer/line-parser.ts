/**
 * Logs with an event on each line. A piece must end at a line's end: lines do not reach into the next one, so that several
 * threads can read pieces at once. A line longer than {@link LONGEST_ELEMENT} arrives cut off, and so is known to be one.
 */
import { Buffer } from 'node:buffer';
import { NEWLINE, OPEN_BRACE, RETURN, skipSpace, UNUSUAL } from './bytes.ts';
import type { Collector } from './collector.ts';
import type { ElementScanner } from './element-scanner.ts';
import { type Reader, rejected } from './judgement.ts';
import { LONGEST_ELEMENT, type PieceParser, TOO_LONG } from './piece.ts';

/** @param scanner tried before `read`, which is exact */
export function createLineParser(collector: Collector, read: Reader, scanner?: ElementScanner): PieceParser {
  return {
    parse(piece, length, offset, _isLast, columns) {
      const view = new DataView(piece.buffer, piece.byteOffset, piece.byteLength);
      const text = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
      collector.begin(columns);
      let at = 0;
      while (at < length) {
        collector.line();
        const end = scanner === undefined ? UNUSUAL : scanLine(scanner, view, at, length);
        if (scanner === undefined || end === UNUSUAL) {
          at = readLine(text, at, length, offset);
        } else {
          collector.addScanned(piece, scanner.scanned);
          at = end + 1;
        }
      }
      return collector.take();
    },
  };

  /** @returns where the next line begins */
  function readLine(text: Buffer, from: number, length: number, offset: number): number {
    const newline = text.indexOf(NEWLINE, from);
    const end = newline < 0 || newline > length ? length : newline;
    const excerpt = (longest: number) => text.toString('utf8', from, Math.min(end, from + longest)).trimEnd();
    if (end - from > LONGEST_ELEMENT) {
      collector.add(rejected(TOO_LONG), offset + from, excerpt);
      return end + 1;
    }
    const line = text.toString('utf8', from, text[end - 1] === RETURN ? end - 1 : end);
    if (line.trim() !== '') {
      collector.add(read(line), offset + from, excerpt);
    }
    return end + 1;
  }
}

/** @returns where the line ends, if the scanner can read all of it */
function scanLine(scanner: ElementScanner, view: DataView, from: number, length: number): number {
  if (view.getUint8(from) !== OPEN_BRACE) {
    return UNUSUAL;
  }
  const end = scanner.scan(view, from);
  if (end === UNUSUAL || end > length) {
    return UNUSUAL;
  }
  const newline = skipSpace(view, end, false);
  const isWhole = newline >= length || view.getUint8(newline) === NEWLINE;
  return isWhole && newline - from <= LONGEST_ELEMENT ? newline : UNUSUAL;
}
