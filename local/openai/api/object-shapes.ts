/**
 * Validates the fields of a JSON object and their kinds, and refuses the first invalid field with OpenAI's error message. It
 * checks only as deep as the shape: a field of kind `object` can contain anything.
 */

import { missingParameter, type Refusal } from './errors.ts';

/** `number` includes integers. */
export type Kind = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object' | 'null';

interface Shape {
  readonly [field: string]: readonly Kind[] | Shape;
}

/** A shape with an entry for every field of T. A missing or an additional entry does not compile. */
export type ShapeOf<T> = {
  readonly [Field in keyof Required<T>]: readonly Kind[] | ShapeOf<NonNullable<T[Field]>>;
};

/**
 * @param path the value's path in the request, such as `session`; empty for the request itself
 * @returns undefined if the value is valid
 */
export function refusalOfShape(value: object, shape: Shape, path = ''): Refusal | undefined {
  for (const [field, content] of Object.entries(value)) {
    const param = joined(path, field);
    // Object.hasOwn, because every shape inherits `constructor`.
    const expected = Object.hasOwn(shape, field) ? shape[field] : undefined;
    if (expected === undefined) {
      return { message: `Unknown parameter: '${param}'.`, param, code: 'unknown_parameter' };
    }
    const refusal = refusalOfField(content, expected, param);
    if (refusal !== undefined) {
      return refusal;
    }
  }
  return undefined;
}

/** @param path the path of the object that must have the fields */
export function refusalOfMissing(value: object, required: readonly string[], path = ''): Refusal | undefined {
  const missing = required.find((field) => !Object.hasOwn(value, field));
  return missing === undefined ? undefined : missingParameter(joined(path, missing));
}

function joined(path: string, field: string): string {
  return path === '' ? field : `${path}.${field}`;
}

function refusalOfField(content: unknown, expected: readonly Kind[] | Shape, param: string): Refusal | undefined {
  const kinds = isKinds(expected) ? expected : (['object'] as const);
  const kind = kindOf(content);
  if (!(kinds.includes(kind) || (kind === 'integer' && kinds.includes('number')))) {
    const message = `Invalid type for '${param}': expected ${kinds.map(withArticle).join(' or ')}, but got ${withArticle(kind)} instead.`;
    return { message, param, code: 'invalid_type' };
  }
  return isKinds(expected) ? undefined : refusalOfShape(content as object, expected, param);
}

function isKinds(expected: readonly Kind[] | Shape): expected is readonly Kind[] {
  return Array.isArray(expected);
}

function kindOf(content: unknown): Kind {
  if (content === null) {
    return 'null';
  }
  if (Array.isArray(content)) {
    return 'array';
  }
  if (typeof content === 'number') {
    return Number.isInteger(content) ? 'integer' : 'number';
  }
  // JSON has no other types.
  return typeof content as 'string' | 'boolean' | 'object';
}

function withArticle(kind: Kind): string {
  switch (kind) {
    case 'null':
      return kind;
    case 'integer':
    case 'array':
    case 'object':
      return `an ${kind}`;
    default:
      return `a ${kind}`;
  }
}
