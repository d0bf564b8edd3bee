/** The English catalogue, loaded on demand. */
import { gateways, tokens, workspace } from './en/administration.ts';
import { audit } from './en/audit.ts';
import { callList } from './en/call-list.ts';
import { calls } from './en/calls.ts';
import { trial, trunks, webhooks } from './en/connections.ts';
import { compare } from './en/compare.ts';
import { fleet } from './en/fleet.ts';
import { inspector } from './en/inspector.ts';
import { latency } from './en/latency.ts';
import { numbers } from './en/numbers.ts';
import { overview } from './en/overview.ts';
import { phone } from './en/phone.ts';
import { replay } from './en/replay.ts';
import { sayings } from './en/sayings.ts';
import { sip } from './en/sip.ts';
import { shell } from './en/shell.ts';

export const en = {
  shell,
  overview,
  calls,
  callList,
  replay,
  sayings,
  sip,
  compare,
  fleet,
  inspector,
  latency,
  numbers,
  trial,
  webhooks,
  trunks,
  audit,
  workspace,
  tokens,
  gateways,
  phone,
};
