import { buffer } from 'node:stream/consumers';
import type { Download } from 'playwright-core';

/** The content of a download. It is streamed, as the browser may be in another process. */
export const downloaded = async (download: Download): Promise<Buffer> =>
  buffer(await download.createReadStream());

export const downloadedText = async (download: Download): Promise<string> =>
  (await downloaded(download)).toString();
