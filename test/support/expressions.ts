/**
 * Compiles DynamoDB's condition and update expressions into functions, as far as the limiter and the kill switch use them. Any other
 * expression is an error, so that no test passes because a part of an expression was ignored.
 */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Item } from '../../limiter/index.ts';

type Values = Readonly<Record<string, AttributeValue>>;
type Operand = (item: Item, values: Values) => AttributeValue | undefined;
type Condition = (item: Item, values: Values) => boolean;
/** Reads the item before the update, and writes into the item after it. */
type Action = (before: Item, after: Record<string, AttributeValue>, values: Values) => void;

const TOKEN = /:\w+|\w+|<=|>=|[=<>(),+-]/g;
const COMPARISONS: Readonly<Record<string, (a: number | string, b: number | string) => boolean>> = {
  '=': (a, b) => a === b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
};

interface Reader {
  readonly peek: () => string | undefined;
  readonly next: () => string;
  /** Consumes the token if it is the next one. */
  readonly skip: (token: string) => boolean;
}

const conditions = new Map<string, Condition>();
const updates = new Map<string, Action>();

export function condition(text: string): Condition {
  return cached(conditions, text, () => {
    const reader = readerOf(text);
    const result = disjunction(reader);
    expectEnd(reader, text);
    return result;
  });
}

export function update(text: string): Action {
  return cached(updates, text, () => {
    const reader = readerOf(text);
    const actions: Action[] = [];
    while (reader.peek() !== undefined) {
      const clause = reader.next();
      do {
        actions.push(actionOf(clause, reader));
      } while (reader.skip(','));
    }
    return (before, after, values) => {
      for (const action of actions) {
        action(before, after, values);
      }
    };
  });
}

function disjunction(reader: Reader): Condition {
  const sides = [conjunction(reader)];
  while (reader.skip('OR')) {
    sides.push(conjunction(reader));
  }
  return (item, values) => sides.some((side) => side(item, values));
}

function conjunction(reader: Reader): Condition {
  const sides = [negation(reader)];
  while (reader.skip('AND')) {
    sides.push(negation(reader));
  }
  return (item, values) => sides.every((side) => side(item, values));
}

function negation(reader: Reader): Condition {
  if (reader.skip('NOT')) {
    const inner = negation(reader);
    return (item, values) => !inner(item, values);
  }
  if (reader.skip('(')) {
    const inner = disjunction(reader);
    expectToken(reader, ')');
    return inner;
  }
  return predicate(reader);
}

function predicate(reader: Reader): Condition {
  const name = reader.next();
  if (!reader.skip('(')) {
    return comparison(operand(name), reader);
  }
  const first = operand(reader.next());
  if (name === 'contains') {
    expectToken(reader, ',');
    const second = operand(reader.next());
    expectToken(reader, ')');
    return (item, values) => first(item, values)?.SS?.includes(second(item, values)?.S ?? '') === true;
  }
  expectToken(reader, ')');
  if (name === 'attribute_exists') {
    return (item, values) => first(item, values) !== undefined;
  }
  if (name === 'attribute_not_exists') {
    return (item, values) => first(item, values) === undefined;
  }
  throw new Error(`The memory table does not support the function ${name}.`);
}

/** A comparison with a missing attribute is always false. */
function comparison(left: Operand, reader: Reader): Condition {
  const sign = reader.next();
  const compare = COMPARISONS[sign];
  if (compare === undefined) {
    throw new Error(`The memory table does not support the comparison ${sign}.`);
  }
  const right = operand(reader.next());
  return (item, values) => {
    const [a, b] = [left(item, values), right(item, values)];
    if (a?.N !== undefined && b?.N !== undefined) {
      return compare(Number(a.N), Number(b.N));
    }
    if (a?.BOOL !== undefined && b?.BOOL !== undefined) {
      return compare(Number(a.BOOL), Number(b.BOOL));
    }
    return a?.S !== undefined && b?.S !== undefined && compare(a.S, b.S);
  };
}

function actionOf(clause: string, reader: Reader): Action {
  const name = reader.next();
  switch (clause) {
    case 'SET': {
      expectToken(reader, '=');
      const value = sum(reader);
      return (before, after, values) => {
        after[name] = value(before, values);
      };
    }
    case 'ADD': {
      const added = operand(reader.next());
      return (before, after, values) => {
        after[name] = plus(before[name], added(before, values));
      };
    }
    case 'DELETE': {
      const deleted = operand(reader.next());
      return (before, after, values) => {
        const gone = deleted(before, values)?.SS ?? [];
        const left = before[name]?.SS?.filter((each) => !gone.includes(each)) ?? [];
        delete after[name];
        if (left.length > 0) {
          after[name] = { SS: left };
        }
      };
    }
    case 'REMOVE':
      return (_, after) => {
        delete after[name];
      };
    default:
      throw new Error(`The memory table does not support the clause ${clause}.`);
  }
}

function sum(reader: Reader): (item: Item, values: Values) => AttributeValue {
  const first = operand(reader.next());
  const sign = ['+', '-'].find((each) => reader.skip(each));
  const second = sign === undefined ? undefined : operand(reader.next());
  return (item, values) => {
    const value = first(item, values);
    if (value === undefined) {
      throw new Error('An operand of SET does not exist.');
    }
    if (second === undefined) {
      return value;
    }
    const other = Number(second(item, values)?.N);
    return { N: String(Number(value.N) + (sign === '-' ? -other : other)) };
  };
}

function plus(before: AttributeValue | undefined, added: AttributeValue | undefined): AttributeValue {
  return added?.SS === undefined
    ? { N: String(Number(before?.N ?? 0) + Number(added?.N)) }
    : { SS: [...new Set([...(before?.SS ?? []), ...added.SS])] };
}

function operand(token: string): Operand {
  return token.startsWith(':') ? (_, values) => values[token] : (item) => item[token];
}

function readerOf(text: string): Reader {
  const tokens = text.match(TOKEN) ?? [];
  let at = 0;
  const next = (): string => {
    const token = tokens[at];
    if (token === undefined) {
      throw new Error(`The expression ends too early: ${text}`);
    }
    at += 1;
    return token;
  };
  return {
    peek: () => tokens[at],
    next,
    skip: (token) => {
      const isNext = tokens[at] === token;
      at += isNext ? 1 : 0;
      return isNext;
    },
  };
}

function expectToken(reader: Reader, token: string): void {
  const found = reader.next();
  if (found !== token) {
    throw new Error(`Expected ${token}, found ${found}.`);
  }
}

function expectEnd(reader: Reader, text: string): void {
  if (reader.peek() !== undefined) {
    throw new Error(`The memory table does not understand the end of: ${text}`);
  }
}

function cached<Value>(cache: Map<string, Value>, text: string, make: () => Value): Value {
  const value = cache.get(text) ?? make();
  cache.set(text, value);
  return value;
}
