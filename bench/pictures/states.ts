/** The pages of the console, and their states that are worth a picture. */
import type { Page } from 'playwright-core';
import type { FurnishedGateway, PictureLanguage } from './furnished-gateway.ts';

export type State = {
  name: string;
  /** Address of the page, after the origin. */
  path: string;
  isSignedIn?: boolean;
  /** Changes the page before the picture. */
  act?: (page: Page) => Promise<void>;
  /** Selector of what arrives last. */
  lastPart?: string;
};

const first = (page: Page, selector: string) => page.locator(selector).first();

/** Returns the states. `LIVE` in a path stands for the id of the call in progress. */
export const statesOf = (gateway: FurnishedGateway, language: PictureLanguage): readonly State[] => {
  const number = `/#/numbers/${gateway.numberId[language]}`;
  const finished = `/#/calls/${gateway.finishedCall[language]}`;
  const live = '/#/calls/LIVE';
  return [
    { name: 'sign-in', path: '/', isSignedIn: false },
    { name: 'overview', path: '/#/overview' },
    { name: 'calls', path: '/#/calls' },
    { name: 'calls-none-found', path: '/#/calls?q=nothing-like-it' },
    { name: 'call-live', path: live, lastPart: '.chart .current' },
    {
      name: 'call-live-action',
      path: live,
      lastPart: '.chart .current',
      act: (page) => first(page, '.acts [aria-expanded]').click(),
    },
    { name: 'call-finished', path: finished, lastPart: '.chart svg' },
    { name: 'call-failed', path: `/#/calls/${gateway.failedCall}` },
    { name: 'call-missing', path: '/#/calls/00000000-0000-0000-0000-000000000000' },
    { name: 'place-call', path: '/#/place-call' },
    {
      name: 'place-call-refused',
      path: '/#/place-call',
      act: (page) => first(page, 'form button[type=submit]').click(),
    },
    { name: 'numbers', path: '/#/numbers' },
    { name: 'number-inbound', path: `${number}/inbound` },
    { name: 'number-outbound', path: `${number}/outbound` },
    { name: 'number-settings', path: `${number}/settings` },
    { name: 'number-new', path: '/#/numbers/new' },
    { name: 'try-agent', path: '/#/agents' },
    { name: 'rehearsals', path: '/#/rehearsals' },
    {
      name: 'rehearsals-refused',
      path: '/#/rehearsals',
      act: async (page) => {
        await first(page, 'textarea').fill('cases:\n  - name: one\n');
        await first(page, 'form button[type=submit]').click();
      },
    },
    {
      name: 'rehearsal',
      path: `/#/rehearsals/${gateway.rehearsal[language]}`,
      lastPart: '.chart .visited',
      act: (page) => first(page, '.failed-call [aria-expanded]').click(),
    },
    { name: 'webhooks', path: '/#/webhooks' },
    { name: 'webhook', path: `/#/webhooks/${gateway.webhookId}` },
    { name: 'webhook-new', path: '/#/webhooks/new' },
    { name: 'trunks', path: '/#/trunks' },
    { name: 'trunk', path: `/#/trunks/${gateway.trunkId}` },
    { name: 'trunk-new', path: '/#/trunks/new' },
    { name: 'audit', path: '/#/audit' },
    { name: 'workspace', path: '/#/workspace' },
    { name: 'tokens', path: '/#/tokens' },
    { name: 'token-new', path: '/#/tokens/new' },
    { name: 'gateways', path: '/#/gateways' },
    { name: 'fleet', path: '/#/fleet', lastPart: '.chart .busy' },
    { name: 'compare-empty', path: '/#/compare', lastPart: '.open-call button.row' },
    {
      name: 'compare',
      path: `/#/compare?one=${gateway.finishedCall[language]}&other=${gateway.failedCall}`,
      lastPart: '.comparison .chart svg',
    },
    { name: 'inspector', path: '/#/inspect', lastPart: '.inspected-calls a' },
    { name: 'inspector-call', path: '/#/inspect/LIVE', lastPart: '.inspector-actors button' },
    { name: 'missing', path: '/#/nothing' },
    {
      name: 'phone',
      path: '/#/calls',
      act: async (page) => {
        await first(page, '.phone-button').click();
        await first(page, '.phone-body').waitFor();
      },
    },
    { name: 'reference', path: '/docs' },
    { name: 'reference-operation', path: '/docs#/createCall' },
    // Without the internet: what the page shows must not depend on another server.
    { name: 'stately', path: '/inspect', lastPart: '[role=alert]' },
  ];
};
