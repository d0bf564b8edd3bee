/** Notes recorded with drachtio-server 0.9.10 and FreeSWITCH 1.10 (test/recorded/sip-servers.json), by scenario. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { notesSchema, type ProtocolNotes } from './protocol-notes.ts';

export const recordedFile = new URL('../recorded/sip-servers.json', import.meta.url);

const recorded = z.record(z.string(), notesSchema);

export const recordedNotes = (scenario: string): ProtocolNotes => {
  const notes = recorded.parse(JSON.parse(readFileSync(recordedFile, 'utf8')))[scenario];
  if (notes === undefined) throw new Error(`This was not recorded: ${scenario}`);
  return notes;
};
