import { okOrThrow, retry } from '../../../resilience/index.ts';

export function getJson(url: string): Promise<unknown> {
  return retry(async ({ signal }) => {
    const response = await okOrThrow(await fetch(url, { signal }));
    return response.json();
  });
}
