/** The Korean catalogue, loaded on demand. */
import { gateways, tokens, workspace } from './ko/administration.ts';
import { audit } from './ko/audit.ts';
import { callList } from './ko/call-list.ts';
import { calls } from './ko/calls.ts';
import { trial, trunks, webhooks } from './ko/connections.ts';
import { compare } from './ko/compare.ts';
import { fleet } from './ko/fleet.ts';
import { inspector } from './ko/inspector.ts';
import { latency } from './ko/latency.ts';
import { numbers } from './ko/numbers.ts';
import { overview } from './ko/overview.ts';
import { phone } from './ko/phone.ts';
import { replay } from './ko/replay.ts';
import { sayings } from './ko/sayings.ts';
import { sip } from './ko/sip.ts';
import { shell } from './ko/shell.ts';
import type { Texts } from './texts.ts';

export const ko: Texts = {
  shell,
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
  overview,
  phone,
};
