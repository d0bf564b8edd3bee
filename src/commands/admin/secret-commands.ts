/** `secrets …`: values sealed with the master key. */
import { tokensOfOtherKeys } from '#src/persistence/workspaces/admin-tokens.ts';
import { resealSecrets, type ResealedSecrets, type SecretKind } from '#src/persistence/database/resealing.ts';
import { table, type Command } from './command.ts';

const words: Record<SecretKind, string> = {
  number_keys: 'keys of numbers',
  agent_tokens: 'tokens for agents',
  agent_headers: 'headers for agents',
  handshake_secrets: 'secrets of handshakes',
  trunk_passwords: 'passwords of trunks',
  webhook_secrets: 'secrets of webhooks',
  call_keys: 'sound of calls in progress',
  call_tokens: 'tokens for agents of calls in progress',
  call_headers: 'headers for agents of calls in progress',
  call_scripts: 'scripts of simulated calls in progress',
};

const sum = (all: readonly ResealedSecrets[], of: (one: ResealedSecrets) => number): number =>
  all.reduce((total, one) => total + of(one), 0);

const advice = (unreadable: number, waiting: readonly { name: string }[]): string => {
  if (unreadable > 0)
    return 'No configured key opens the unreadable ones: add the one that sealed them to GW_OLD_MASTER_KEYS, or set them anew.';
  if (waiting.length === 0)
    return 'Nothing needs an older master key any more. A day from now, when no request can be repeated any more, GW_OLD_MASTER_KEYS can go.';
  const names = waiting.map(({ name }) => `"${name}"`).join(', ');
  return `These admin tokens change over when they are used next: ${names}. Use or revoke them, and call this again before GW_OLD_MASTER_KEYS goes.`;
};

const reseal: Command = {
  name: 'secrets reseal',
  usage: '',
  summary: 'seals everything anew with GW_MASTER_KEY that is sealed with one of GW_OLD_MASTER_KEYS',
  words: { least: 0, most: 0 },
  options: {},
  async run({ database, sealing, clock }) {
    const all = await resealSecrets(database, sealing);
    const waiting = await tokensOfOtherKeys(database, sealing.keyId, new Date(clock.now()));
    const rows = all.map(({ kind, resealed, unreadable }) => [
      words[kind],
      String(resealed),
      String(unreadable),
    ]);
    return {
      text: `${table([['', 'RESEALED', 'UNREADABLE'], ...rows])}\n\n${advice(
        sum(all, ({ unreadable }) => unreadable),
        waiting,
      )}`,
      json: {
        secrets: all,
        admin_tokens_waiting: waiting.map(({ id, name, workspaceId }) => ({
          id,
          name,
          workspace_id: workspaceId,
        })),
      },
    };
  },
};

export const secretCommands: readonly Command[] = [reseal];
