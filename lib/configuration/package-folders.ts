/** Where the package keeps what `npm run build` makes, wherever the package itself is installed. */

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = packageRoot(import.meta.dirname);

/** The bundle that the tests run, `index.mjs`, and the session settings beside it. */
export const CODE_FOLDER = join(ROOT, 'dist/lambda');

/** The bundle of the function that alarms invoke, `index.mjs`. */
export const GUARD_FOLDER = join(ROOT, 'dist/guard');

export const PAGE_FOLDER = join(ROOT, 'dist/web');

/** This file lies in lib/ here and elsewhere in the published package: the way up is searched, not counted. */
function packageRoot(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : packageRoot(dirname(folder));
}
