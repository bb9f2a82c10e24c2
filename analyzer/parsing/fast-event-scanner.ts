/**
 * Reads one element of the core schema directly from bytes: keys in any order, white space, and additional keys with plain
 * values. It accepts an element only if event-reader.ts would read the same event without a problem. It leaves everything else
 * (escapes, nesting, numbers as text, a missing field, malformed JSON) to that file, which is exact but slow.
 */

import { BACKSLASH, CLOSE_BRACE, COLON, COMMA, MINUS, QUOTE, SPACE, skipSpace, UNUSUAL, word } from './bytes.ts';
import { HASH_SEED, hashByte, LONGEST_NAME } from './client-table.ts';
import { CONNECT, DISCONNECT, RETRY } from './event.ts';
import { scanNumber } from './fast-number-scanner.ts';
import { createDay, scanTimestamp } from './fast-timestamp-scanner.ts';
import { fromEpoch } from './timestamp.ts';

/** The fields of the last element that was read. The next scan overwrites them. */
export interface ScannedElement {
  /** Epoch milliseconds. */
  timestamp: number;
  /** Where the bytes of the client's name start and end. */
  nameFrom: number;
  nameTo: number;
  nameHash: number;
  /** Index into EVENT_TYPES. */
  type: number;
  /** Milliseconds; NaN if the element has no interval. */
  interval: number;
}

export interface ElementScanner {
  readonly scanned: Readonly<ScannedElement>;
  /**
   * @param view a log followed by {@link SLACK} zeros
   * @param from position of the opening brace
   * @returns position after the element, whose fields are in `scanned`; or {@link UNUSUAL}
   */
  readonly scan: (view: DataView, from: number) => number;
}

const [TIME, STAM, CLIE, NT_I, P_QUOTE] = [word('time'), word('stam'), word('clie'), word('nt_i'), word('p"')];
const [EVEN, T_TY, PE_QUOTE] = [word('even'), word('t_ty'), word('pe"')];
const [RETR, Y_IN, TERV, AL_M, S_QUOTE] = [word('retr'), word('y_in'), word('terv'), word('al_m'), word('s"')];
const [RETRY_START, RETRY_END] = [word('"ret'), word('ry"')];
const [CONNECT_START, CONNECT_MIDDLE] = [word('"con'), word('nect')];
const [DISCONNECT_START, DISCONNECT_MIDDLE, DISCONNECT_END] = [word('"dis'), word('conn'), word('ect"')];
const [TRUE, FALS, NULL, LETTER_E] = [word('true'), word('fals'), word('null'), word('e')];

const [BRACE_TI, MEST, AMP_QUOTE] = [word('{"ti'), word('mest'), word('amp"')];
const [QUOTE_C, LIEN, T_IP, P_QUOTE_QUOTE] = [word('","c'), word('lien'), word('t_ip'), word('p":"')];
const [QUOTE_E, VENT, TYP, E_QUOTE_QUOTE] = [word('","e'), word('vent'), word('_typ'), word('e":"')];
const [COMMA_RE, TRY, INTE, RVAL, MS_QUOTE] = [word(',"re'), word('try_'), word('inte'), word('rval'), word('_ms"')];
/** The length of `{"timestamp":"2026-11-30T12:00:00.000Z`. */
const CLIENT_KEY = 38;

/** One bit for each key of the schema, and 0 for any other key. */
const TIMESTAMP = 1;
const CLIENT = 2;
const TYPE = 4;
const INTERVAL = 8;
const OTHER = 0;
const NEEDED = TIMESTAMP | CLIENT | TYPE;

/** @param overLines whether a newline is white space, as in an array, or ends the element, as in NDJSON */
export function createElementScanner(overLines: boolean): ElementScanner {
  const scanned = { timestamp: 0.5, nameFrom: 0, nameTo: 0, nameHash: 0, type: 0, interval: 0.5 };
  const number = { value: 0.5 };
  const day = createDay();

  let found = 0;

  function scan(view: DataView, from: number): number {
    const end = scanUsual(view, from);
    return end === UNUSUAL ? scanAny(view, from) : end;
  }

  /**
   * Scans an element as JSON.stringify writes it: the schema's keys in the schema's order, without white space. Most elements
   * look like this, and each avoided call saves time.
   */
  function scanUsual(view: DataView, from: number): number {
    const differences =
      (view.getInt32(from, true) ^ BRACE_TI) |
      (view.getInt32(from + 4, true) ^ MEST) |
      (view.getInt32(from + 8, true) ^ AMP_QUOTE) |
      (view.getInt32(from + CLIENT_KEY, true) ^ QUOTE_C) |
      (view.getInt32(from + CLIENT_KEY + 4, true) ^ LIEN) |
      (view.getInt32(from + CLIENT_KEY + 8, true) ^ T_IP) |
      (view.getInt32(from + CLIENT_KEY + 11, true) ^ P_QUOTE_QUOTE);
    if (differences !== 0 || view.getUint8(from + 12) !== COLON) {
      return UNUSUAL;
    }
    if (readTimestamp(view, from + 13) !== from + CLIENT_KEY + 1) {
      return UNUSUAL;
    }
    const name = readClient(view, from + CLIENT_KEY + 14);
    return name === UNUSUAL ? UNUSUAL : scanUsualRest(view, name - 1);
  }

  /** @param from position of the quote that ends the client's name */
  function scanUsualRest(view: DataView, from: number): number {
    const key =
      (view.getInt32(from, true) ^ QUOTE_E) |
      (view.getInt32(from + 4, true) ^ VENT) |
      (view.getInt32(from + 8, true) ^ TYP) |
      (view.getInt32(from + 12, true) ^ E_QUOTE_QUOTE);
    const type = key === 0 ? readType(view, from + 15) : UNUSUAL;
    if (type === UNUSUAL) {
      return UNUSUAL;
    }
    if (view.getUint8(type) === CLOSE_BRACE) {
      scanned.interval = Number.NaN;
      return type + 1;
    }
    const interval =
      (view.getInt32(type, true) ^ COMMA_RE) |
      (view.getInt32(type + 4, true) ^ TRY) |
      (view.getInt32(type + 8, true) ^ INTE) |
      (view.getInt32(type + 12, true) ^ RVAL) |
      (view.getInt32(type + 16, true) ^ MS_QUOTE);
    const isInterval = interval === 0 && view.getUint8(type + 20) === COLON;
    const end = isInterval ? readInterval(view, type + 21) : UNUSUAL;
    return end !== UNUSUAL && view.getUint8(end) === CLOSE_BRACE ? end + 1 : UNUSUAL;
  }

  function scanAny(view: DataView, from: number): number {
    scanned.interval = Number.NaN;
    found = 0;
    let at = skipSpace(view, from + 1, overLines);
    while (view.getUint8(at) === QUOTE) {
      const end = readMember(view, at);
      if (end === UNUSUAL) {
        return UNUSUAL;
      }
      at = skipSpace(view, end, overLines);
      const byte = view.getUint8(at);
      if (byte !== COMMA) {
        return byte === CLOSE_BRACE && (found & NEEDED) === NEEDED ? at + 1 : UNUSUAL;
      }
      at = skipSpace(view, at + 1, overLines);
    }
    return UNUSUAL;
  }

  function readMember(view: DataView, at: number): number {
    const field = fieldAt(view, at + 1);
    const key = field === OTHER ? skipString(view, at) : at + lengthOf(field);
    if (key === UNUSUAL) {
      return UNUSUAL;
    }
    found |= field;
    const colon = skipSpace(view, key, overLines);
    return view.getUint8(colon) === COLON ? readValue(view, skipSpace(view, colon + 1, overLines), field) : UNUSUAL;
  }

  /** If a key occurs twice, the last value counts, as in JSON.parse. */
  function readValue(view: DataView, at: number, field: number): number {
    switch (field) {
      case TIMESTAMP:
        return readTimestamp(view, at);
      case CLIENT:
        return readClient(view, at);
      case TYPE:
        return readType(view, at);
      case INTERVAL:
        return readInterval(view, at);
      default:
        return skipPlain(view, at);
    }
  }

  function readTimestamp(view: DataView, at: number): number {
    const isText = view.getUint8(at) === QUOTE;
    const end = isText ? scanTimestamp(view, at, day, number) : scanNumber(view, at, number);
    const timestamp = isText ? number.value : fromEpoch(number.value);
    scanned.timestamp = timestamp;
    return timestamp >= 0 ? end : UNUSUAL;
  }

  function readClient(view: DataView, from: number): number {
    if (view.getUint8(from) !== QUOTE) {
      return UNUSUAL;
    }
    let hash = HASH_SEED;
    let at = from + 1;
    for (let byte = view.getUint8(at); byte !== QUOTE; byte = view.getUint8(at)) {
      // A space may surround the name and would have to be trimmed.
      if (byte <= SPACE || byte === BACKSLASH || byte >= 0x7f) {
        return UNUSUAL;
      }
      hash = hashByte(hash, byte);
      at += 1;
    }
    scanned.nameFrom = from + 1;
    scanned.nameTo = at;
    scanned.nameHash = hash;
    const length = at - from - 1;
    return length > 0 && length <= LONGEST_NAME ? at + 1 : UNUSUAL;
  }

  function readType(view: DataView, at: number): number {
    const [start, middle] = [view.getInt32(at, true), view.getInt32(at + 4, true)];
    if (start === RETRY_START && (middle & 0xffffff) === RETRY_END) {
      scanned.type = RETRY;
      return at + 7;
    }
    if (start === CONNECT_START && middle === CONNECT_MIDDLE && view.getUint8(at + 8) === QUOTE) {
      scanned.type = CONNECT;
      return at + 9;
    }
    if (start === DISCONNECT_START && middle === DISCONNECT_MIDDLE && view.getInt32(at + 8, true) === DISCONNECT_END) {
      scanned.type = DISCONNECT;
      return at + 12;
    }
    return UNUSUAL;
  }

  function readInterval(view: DataView, at: number): number {
    if (view.getInt32(at, true) === NULL) {
      scanned.interval = Number.NaN;
      return at + 4;
    }
    const end = scanNumber(view, at, number);
    scanned.interval = number.value;
    return end;
  }

  /** Skips the value of a key that is not in the schema. */
  function skipPlain(view: DataView, at: number): number {
    const byte = view.getUint8(at);
    if (byte === QUOTE) {
      return skipString(view, at);
    }
    const start = view.getInt32(at, true);
    if (start === TRUE || start === NULL) {
      return at + 4;
    }
    if (start === FALS) {
      return view.getUint8(at + 4) === LETTER_E ? at + 5 : UNUSUAL;
    }
    return scanNumber(view, byte === MINUS ? at + 1 : at, number);
  }

  return { scanned, scan };
}

function fieldAt(view: DataView, at: number): number {
  const start = view.getInt32(at, true);
  const middle = view.getInt32(at + 4, true);
  if (start === TIME && middle === STAM && view.getInt16(at + 8, true) === P_QUOTE) {
    return TIMESTAMP;
  }
  if (start === CLIE && middle === NT_I && view.getInt16(at + 8, true) === P_QUOTE) {
    return CLIENT;
  }
  if (start === EVEN && middle === T_TY && (view.getInt32(at + 8, true) & 0xffffff) === PE_QUOTE) {
    return TYPE;
  }
  const isInterval =
    start === RETR &&
    middle === Y_IN &&
    view.getInt32(at + 8, true) === TERV &&
    view.getInt32(at + 12, true) === AL_M &&
    view.getInt16(at + 16, true) === S_QUOTE;
  return isInterval ? INTERVAL : OTHER;
}

/** The length of the field's key with its quotes. */
function lengthOf(field: number): number {
  if (field === INTERVAL) {
    return '"retry_interval_ms"'.length;
  }
  return field === TYPE ? '"event_type"'.length : '"timestamp"'.length;
}

/** @returns position after a string without escapes, or {@link UNUSUAL} */
function skipString(view: DataView, from: number): number {
  let at = from + 1;
  for (let byte = view.getUint8(at); byte !== QUOTE; byte = view.getUint8(at)) {
    if (byte < SPACE || byte === BACKSLASH) {
      return UNUSUAL;
    }
    at += 1;
  }
  return at + 1;
}
