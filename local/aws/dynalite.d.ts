declare module 'dynalite' {
  import type { Server } from 'node:http';

  /** Times in milliseconds. */
  const dynalite: (options?: { readonly createTableMs?: number }) => Server;
  export = dynalite;
}
