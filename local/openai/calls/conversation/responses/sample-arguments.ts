/** Arguments for a function, made from its JSON Schema: the required properties, each with the plainest valid value. */

type Schema = Readonly<Record<string, unknown>>;

/** @returns a JSON object */
export function sampleArguments(schema: unknown): string {
  return JSON.stringify(isObject(schema) ? sampleObject(schema) : {});
}

function sampleObject(schema: Schema): object {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  return Object.fromEntries(required.map((name) => [name, sample(properties[name])]));
}

function sample(schema: unknown): unknown {
  if (!isObject(schema)) {
    return 'sample';
  }
  const { const: fixed, enum: options, default: standard, minimum, type } = schema;
  const given = fixed ?? standard ?? (Array.isArray(options) ? options[0] : undefined);
  if (given !== undefined) {
    return given;
  }
  switch (Array.isArray(type) ? type[0] : type) {
    case 'object':
      return sampleObject(schema);
    case 'array':
      return [];
    case 'number':
    case 'integer':
      return minimum ?? 1;
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return 'sample';
  }
}

function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
