/** The folders that `npm run build` creates, wherever the package is installed. */

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = packageRoot(import.meta.dirname);

/** Contains `index.mjs`, the same bundle that the tests run, and the session settings beside it. */
export const CODE_FOLDER = join(ROOT, 'dist/lambda');

/** Contains `index.mjs`, the bundle of the function that alarms invoke. */
export const GUARD_FOLDER = join(ROOT, 'dist/guard');

export const PAGE_FOLDER = join(ROOT, 'dist/web');

/** Searches upwards, because this file has another depth in the published package than in the repository. */
function packageRoot(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : packageRoot(dirname(folder));
}
