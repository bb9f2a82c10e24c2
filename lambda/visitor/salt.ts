/**
 * The salt under which addresses are hashed: 32 random bytes, created once by whoever comes first and kept in the table.
 * Losing it (a new table) makes every viewer a new one; reading it lets its reader test addresses against pseudonyms.
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
  // Another container was first, or our own write succeeded and its answer was lost: either way, what stands counts.
  const settled = await readSalt(table);
  if (settled === undefined) {
    throw new StoreMisconfiguredError(`The item "${SALT_KEY}" of ${table.name} vanished while it was being created.`);
  }
  return settled;
}

async function readSalt(table: Table): Promise<Uint8Array | undefined> {
  const item = await read(table, SALT_KEY);
  if (Object.keys(item).length === 0) {
    return undefined;
  }
  const salt = item['salt']?.B;
  if (salt?.length !== SALT_BYTES) {
    throw new StoreMisconfiguredError(
      `The item "${SALT_KEY}" of ${table.name} does not hold ${SALT_BYTES} bytes. Delete it: a new one is made, and every viewer starts afresh.`,
    );
  }
  return salt;
}
