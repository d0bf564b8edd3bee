/** The pages of the console, and their states that are worth a picture. */
import type { Page } from 'playwright-core';
import { callStates } from './call-states.ts';
import type { FurnishedGateway, PictureLanguage } from './furnished-gateway.ts';
import { phoneStates } from './phone-states.ts';
import { referenceStates } from './reference-states.ts';
import { click, first, openMenu, submit, type State } from './state.ts';

/** Opens a confirmation. */
const ask = (selector: string) => async (page: Page) => {
  await first(page, selector).click();
  await first(page, 'dialog').waitFor();
};

/** Answers the creation of a record in the gateway's place, so that no picture has more records than the one before. */
const answerCreation = async (page: Page, path: string, created: object): Promise<void> => {
  await page.route(`**/api/v1/admin/${path}`, (route) =>
    route.request().method() === 'POST' ? route.fulfill({ status: 201, json: created }) : route.continue(),
  );
};

const signInStates: readonly State[] = [
  { name: 'sign-in', path: '/', as: 'nobody' },
  {
    name: 'sign-in-refused',
    path: '/',
    as: 'nobody',
    act: async (page) => {
      await first(page, '[name=token]').fill('gw_admin_nobody');
      await submit(page);
      await first(page, '[aria-invalid=true]').waitFor();
    },
  },
  { name: 'sign-in-link-refused', path: '/#/sign-in/none', as: 'nobody', lastPart: '[role=alert]' },
  {
    name: 'sign-in-again',
    path: '/#/calls',
    act: async (page) => {
      await page.route('**/api/v1/**', (route) =>
        route.fulfill({ status: 401, json: { code: 'unauthorized' } }),
      );
      await first(page, 'dialog').waitFor();
    },
    isRefused: true,
  },
];

const overviewStates: readonly State[] = [
  { name: 'overview', path: '/#/overview' },
  { name: 'overview-table', path: '/#/overview?days=30', act: click('.overview summary') },
  { name: 'overview-viewer', path: '/#/overview', as: 'viewer' },
  { name: 'first-steps', path: '/#/overview', as: 'newcomer', lastPart: '.first-steps li' },
  { name: 'menu', path: '/#/overview', act: openMenu },
  {
    name: 'sign-out-everywhere',
    path: '/#/overview',
    act: async (page) => {
      await openMenu(page);
      await page.locator('.signed-in button').last().click();
      await first(page, 'dialog').waitFor();
    },
  },
  { name: 'missing', path: '/#/nothing' },
];

const numberStates = (number: string): readonly State[] => [
  { name: 'numbers', path: '/#/numbers' },
  { name: 'numbers-empty', path: '/#/numbers', as: 'newcomer' },
  { name: 'number-inbound', path: `${number}/inbound` },
  { name: 'number-outbound', path: `${number}/outbound` },
  {
    name: 'number-key',
    path: `${number}/outbound`,
    act: async (page) => {
      await page.locator('.key ~ .buttons .action button').first().click();
      await page.locator('.key code:not(:has(span))').waitFor();
    },
  },
  { name: 'number-key-reissue', path: `${number}/outbound`, act: ask('.key ~ .buttons button.danger') },
  {
    name: 'number-agent-refused',
    path: `${number}/outbound`,
    act: async (page) => {
      await first(page, '[name=chat_url]').fill('ftp://agent.example.com');
      await submit(page);
      await first(page, '[aria-invalid=true]').waitFor();
    },
    isRefused: true,
  },
  {
    name: 'number-unsaved',
    path: `${number}/outbound`,
    act: async (page) => {
      await first(page, '[name=chat_url]').fill('https://agent.example.com');
      await page.evaluate("location.hash = '#/calls'");
      await first(page, 'dialog').waitFor();
    },
  },
  { name: 'number-settings', path: `${number}/settings` },
  { name: 'number-settings-viewer', path: `${number}/settings`, as: 'viewer' },
  { name: 'number-delete', path: `${number}/settings`, act: ask('.buttons > button.danger') },
  { name: 'number-latency', path: `${number}/latency` },
  { name: 'number-new', path: '/#/numbers/new' },
];

const agentStates: readonly State[] = [
  { name: 'try-agent', path: '/#/agents' },
  {
    name: 'try-agent-tried',
    path: '/#/agents',
    act: async (page) => {
      await first(page, '[name=agent_type]').selectOption('builtin');
      await submit(page);
      await first(page, '.tried .assistant').waitFor();
    },
  },
  {
    name: 'try-agent-failed',
    path: '/#/agents',
    act: async (page) => {
      await first(page, '[name=agent_type]').selectOption('webhook');
      await first(page, '[name=chat_url]').fill('http://127.0.0.1:9/');
      await submit(page);
      await first(page, '.tried .notice').waitFor();
    },
  },
];

const rehearsalStates = (gateway: FurnishedGateway, language: PictureLanguage): readonly State[] => {
  let running = '';
  return [
    { name: 'rehearsals', path: '/#/rehearsals' },
    { name: 'rehearsals-empty', path: '/#/rehearsals', as: 'newcomer' },
    {
      name: 'rehearsals-refused',
      path: '/#/rehearsals',
      act: async (page) => {
        // The included suite that is loaded first would overwrite an earlier text.
        await page.waitForFunction("document.querySelector('textarea')?.value !== ''");
        await first(page, 'textarea').fill('cases:\n  - name: one\n');
        await submit(page);
        await first(page, 'form .error').waitFor();
      },
      isRefused: true,
    },
    {
      name: 'rehearsal',
      path: `/#/rehearsals/${gateway.rehearsal[language]}`,
      lastPart: '.state-map .busy',
      act: click('.failed-call [aria-expanded]'),
    },
    {
      name: 'rehearsal-running',
      path: async () => `/#/rehearsals/${(running = await gateway.startLastingRehearsal(language))}`,
      act: ask('.page-title button.danger'),
      end: () => gateway.cancelRehearsal(running),
    },
  ];
};

const connectionStates = (gateway: FurnishedGateway): readonly State[] => {
  const webhook = `/#/webhooks/${gateway.webhookId}`;
  const trunk = `/#/trunks/${gateway.trunkId}`;
  return [
    { name: 'webhooks', path: '/#/webhooks' },
    { name: 'webhooks-empty', path: '/#/webhooks', as: 'newcomer' },
    { name: 'webhook', path: webhook, lastPart: '.deliveries li' },
    {
      name: 'webhook-delivery',
      path: webhook,
      act: click('.deliveries summary'),
      lastPart: '.deliveries li',
    },
    {
      name: 'webhook-tested',
      path: webhook,
      act: async (page) => {
        await first(page, '.card button.primary').click();
        await first(page, '.card .error').waitFor();
      },
    },
    { name: 'webhook-delete', path: webhook, act: ask('.card button.danger') },
    { name: 'webhook-new', path: '/#/webhooks/new' },
    {
      name: 'webhook-added',
      path: '/#/webhooks/new',
      act: async (page) => {
        await answerCreation(page, 'webhooks', { id: gateway.webhookId, secret: `whsec_${'0'.repeat(43)}` });
        await first(page, '[name=url]').fill('https://example.com/events');
        await submit(page);
        await first(page, '.secret').waitFor();
      },
    },
    { name: 'trunks', path: '/#/trunks' },
    { name: 'trunks-empty', path: '/#/trunks', as: 'newcomer' },
    { name: 'trunk', path: trunk },
    { name: 'trunk-delete', path: trunk, act: ask('.page-title button.danger') },
    { name: 'trunk-new', path: '/#/trunks/new' },
    {
      name: 'trunk-new-preset',
      path: '/#/trunks/new',
      act: async (page) => {
        await first(page, '[name=preset]').selectOption({ index: 1 });
        await first(page, '.preset').waitFor();
      },
    },
  ];
};

const workspaceStates: readonly State[] = [
  { name: 'audit', path: '/#/audit' },
  { name: 'audit-none-found', path: '/#/audit?q=nothing-like-it' },
  { name: 'workspace', path: '/#/workspace' },
  { name: 'tokens', path: '/#/tokens' },
  { name: 'token-revoke', path: '/#/tokens', act: ask('.rows button.danger') },
  { name: 'token-new', path: '/#/tokens/new' },
  {
    name: 'token-made',
    path: '/#/tokens/new',
    act: async (page) => {
      await answerCreation(page, 'tokens', { name: 'Dashboard', token: `gw_admin_${'0'.repeat(43)}` });
      await first(page, '[name=name]').fill('Dashboard');
      await submit(page);
      await first(page, '.secret').waitFor();
    },
  },
  { name: 'gateways', path: '/#/gateways' },
];

export const statesOf = (gateway: FurnishedGateway, language: PictureLanguage): readonly State[] => [
  ...signInStates,
  ...overviewStates,
  ...callStates(gateway, language),
  ...numberStates(`/#/numbers/${gateway.numberId[language]}`),
  ...agentStates,
  ...rehearsalStates(gateway, language),
  ...connectionStates(gateway),
  ...workspaceStates,
  ...phoneStates(gateway, language),
  ...referenceStates,
];
