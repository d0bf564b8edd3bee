/** Secrets of numbers, sealed with a new master key and with the previous one. */
import { randomBytes } from 'node:crypto';
import { createSealing } from '#src/persistence/database/sealing.ts';

export const sealing = createSealing(Buffer.alloc(32, 2), [Buffer.alloc(32, 1)]);

export const newKey = (): string => `gw_live_${randomBytes(8).toString('hex')}`;

export const issuedAt = new Date('2026-11-21T03:00:00.000Z');
