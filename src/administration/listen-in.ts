/** Listening to a call in progress: authorization and audit. */
import type { ListenInPolicy } from '#src/domain/listen-in.ts';
import { findListenInPolicy } from '#src/persistence/calls/call-holders.ts';
import { note, type Administrator, type WorkspaceReader } from './administrator.ts';

/** Returns the listen-in policy of a call in progress; undefined for an ended call, or a call of another workspace. */
export const listenInPolicyOf = (
  { database, workspaceId }: WorkspaceReader,
  callId: string,
): Promise<ListenInPolicy | undefined> => findListenInPolicy(database, { callId, workspaceId });

/** Writes the audit entry of a listener before any audio is sent. */
export const noteListeningBegun = (
  administrator: Administrator,
  callId: string,
  policy: ListenInPolicy,
): Promise<void> =>
  note(administrator, {
    action: 'call.listening_began',
    subject: `call:${callId}`,
    detail: { announced: policy === 'announced' },
  });

export const noteListeningEnded = (
  administrator: Administrator,
  callId: string,
  seconds: number,
): Promise<void> =>
  note(administrator, {
    action: 'call.listening_ended',
    subject: `call:${callId}`,
    detail: { seconds: Math.round(seconds) },
  });
