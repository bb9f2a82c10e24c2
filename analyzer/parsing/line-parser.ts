/**
 * Parses logs with one event per line. A chunk must end at the end of a line, because a line that is cut in two would become
 * two broken lines. Of a line that is too long, the parser gets {@link LONGEST_ELEMENT} + 1 bytes, and reports it.
 */
import { Buffer } from 'node:buffer';
import { NEWLINE, OPEN_BRACE, RETURN, skipSpace, UNUSUAL } from './bytes.ts';
import { type ChunkParser, HEADROOM, LONGEST_ELEMENT, TOO_LONG } from './chunk-parser.ts';
import type { Collector } from './collector.ts';
import type { ElementScanner } from './fast-event-scanner.ts';
import { type Reader, rejected } from './read-result.ts';

/** @param scanner tried first, because it is faster than the exact `read` */
export function createLineParser(collector: Collector, read: Reader, scanner?: ElementScanner): ChunkParser {
  return {
    parse(bytes, length, offset, _isLast, columns) {
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      const end = HEADROOM + length;
      collector.begin(columns);
      let at = HEADROOM;
      while (at < end) {
        collector.line();
        const lineEnd = scanner === undefined ? UNUSUAL : scanLine(scanner, view, at, end);
        if (scanner === undefined || lineEnd === UNUSUAL) {
          at = readLine(text, at, end, offset - HEADROOM);
        } else {
          collector.addScanned(bytes, scanner.scanned);
          at = lineEnd + 1;
        }
      }
      return collector.take();
    },
  };

  /** @param base added to a position, it gives the offset in the log. @returns position of the next line */
  function readLine(text: Buffer, from: number, chunkEnd: number, base: number): number {
    const newline = text.indexOf(NEWLINE, from);
    const end = newline < 0 || newline > chunkEnd ? chunkEnd : newline;
    const excerpt = (longest: number) => text.toString('utf8', from, Math.min(end, from + longest)).trimEnd();
    if (end - from > LONGEST_ELEMENT) {
      collector.add(rejected(TOO_LONG), base + from, excerpt);
      return end + 1;
    }
    const line = text.toString('utf8', from, text[end - 1] === RETURN ? end - 1 : end);
    if (line.trim() !== '') {
      collector.add(read(line), base + from, excerpt);
    }
    return end + 1;
  }
}

/** @returns position of the end of the line, or {@link UNUSUAL} if the scanner cannot read the whole line */
function scanLine(scanner: ElementScanner, view: DataView, from: number, chunkEnd: number): number {
  if (view.getUint8(from) !== OPEN_BRACE) {
    return UNUSUAL;
  }
  const end = scanner.scan(view, from);
  if (end === UNUSUAL || end > chunkEnd) {
    return UNUSUAL;
  }
  const newline = skipSpace(view, end, false);
  const isWhole = newline >= chunkEnd || view.getUint8(newline) === NEWLINE;
  return isWhole && newline - from <= LONGEST_ELEMENT ? newline : UNUSUAL;
}
