import type { RequestOptions } from './send.ts';

/**
 * Iterates over the pages of a list, fetched on demand: `for await (const { calls } of pagesOf(client.listCalls, {
 * status: 'completed' }))`.
 */
export async function* pagesOf<
  Request extends { cursor?: string | undefined } | undefined,
  Page extends { next_cursor: string | null },
>(
  list: (request: Request, options?: RequestOptions) => Promise<Page>,
  request: NonNullable<NoInfer<Request>>,
  options?: RequestOptions,
): AsyncGenerator<Page, void, undefined> {
  let page = await list(request, options);
  yield page;
  while (page.next_cursor !== null) {
    page = await list({ ...request, cursor: page.next_cursor }, options);
    yield page;
  }
}
