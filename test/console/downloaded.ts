import { buffer } from 'node:stream/consumers';
import type { Download } from 'playwright-core';

/** Returns the content of a download as a stream, because the browser may run on another machine. */
export const downloaded = async (download: Download): Promise<Buffer> =>
  buffer(await download.createReadStream());

export const downloadedText = async (download: Download): Promise<string> =>
  (await downloaded(download)).toString();
