/**
 * The salt for hashing addresses: 32 random bytes, created by the first container and stored in the table. If it is lost (a new
 * table), every viewer gets a new pseudonym. Anyone who can read it can test addresses against pseudonyms.
 */
import { put, read, StoreMisconfiguredError, type Table } from '../../limiter/index.ts';

const SALT_KEY = 'salt';
const SALT_BYTES = 32;

/** @throws StoreUnavailableError or StoreMisconfiguredError */
export async function readOrCreateSalt(table: Table): Promise<Uint8Array> {
  const found = await readSalt(table);
  if (found !== undefined) {
    return found;
  }
  const fresh = crypto.getRandomValues(new Uint8Array(SALT_BYTES));
  if (await put(table, { pk: { S: SALT_KEY }, salt: { B: fresh } }, { onlyIfNew: true })) {
    return fresh;
  }
  // Another container was first, or our own write succeeded and its response was lost. In both cases, use the stored salt.
  const stored = await readSalt(table);
  if (stored === undefined) {
    throw new StoreMisconfiguredError(
      `The item "${SALT_KEY}" of the table ${table.name} was deleted while it was being created.`,
    );
  }
  return stored;
}

async function readSalt(table: Table): Promise<Uint8Array | undefined> {
  const item = await read(table, SALT_KEY);
  if (Object.keys(item).length === 0) {
    return undefined;
  }
  const salt = item['salt']?.B;
  if (salt?.length !== SALT_BYTES) {
    throw new StoreMisconfiguredError(
      `The item "${SALT_KEY}" of the table ${table.name} is invalid: its salt must be ${SALT_BYTES} bytes. Delete the item; ` +
        'a new one is created, and every viewer gets a new pseudonym.',
    );
  }
  return salt;
}
