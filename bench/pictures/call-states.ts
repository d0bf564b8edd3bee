/** States of the pages about calls: the list, one call in progress or finished, comparing, the chart of all calls. */
import type { Page } from 'playwright-core';
import type { FurnishedGateway, PictureLanguage } from './furnished-gateway.ts';
import { click, first, submit, type State } from './state.ts';

const wordOf = { en: 'reservation', ko: '예약' } as const;

const chartPart = '.chart .current';

const onLivePage = (liveCall: string): string => `/#/calls/${liveCall}`;

/** Opens one of the forms above the transcript by its position. */
const openForm = (position: number) => (page: Page) =>
  page.locator('.acts [aria-expanded]').nth(position).click();

const goOffline = async (page: Page): Promise<void> => {
  await page.context().setOffline(true);
  await first(page, '.connection.lost').waitFor();
};

const goOnline = (page: Page): Promise<void> => page.context().setOffline(false);

const liveStates = (gateway: FurnishedGateway, language: PictureLanguage): readonly State[] => {
  const live = { path: onLivePage, lastPart: chartPart } as const;
  let liveCall = '';
  let ringing = '';
  return [
    {
      name: 'call-ringing',
      path: async () => onLivePage((ringing = await gateway.placeRingingCall(language))),
      lastPart: chartPart,
      end: () => gateway.cancelCall(language, ringing),
    },
    { name: 'call-live', ...live },
    { name: 'call-live-viewer', ...live, as: 'viewer' },
    {
      name: 'call-live-boxes',
      ...live,
      act: async (page) => {
        await page.locator('.call-stage .card-head .languages').last().locator('button').first().click();
        await first(page, '.state-map .busy').waitFor();
      },
      lastPart: '.call-stage .card-head .languages',
    },
    { name: 'call-live-action', ...live, act: openForm(0) },
    { name: 'call-live-keys', ...live, act: openForm(1) },
    { name: 'call-live-transfer', ...live, act: openForm(2) },
    { name: 'call-live-collect', ...live, act: openForm(3) },
    {
      name: 'call-live-refused',
      ...live,
      act: async (page) => {
        await openForm(1)(page);
        await first(page, '.act-form input').fill('12x');
        await submit(page);
        await first(page, '.act-form .error').waitFor();
      },
      isRefused: true,
    },
    {
      name: 'call-live-listening',
      ...live,
      act: async (page) => {
        await click('.act-bar .action button[aria-pressed]')(page);
        await first(page, '.act-bar button[aria-pressed=true]').waitFor();
      },
    },
    { name: 'call-live-lost', ...live, act: goOffline, end: goOnline, isRefused: true },
    {
      name: 'call-live-transferring',
      path: async (id) => {
        liveCall = id;
        await gateway.startTransfer(language, id);
        return onLivePage(id);
      },
      lastPart: '.transfer-line [role=timer]',
      end: () => gateway.takeTransferBack(language, liveCall),
    },
  ];
};

const listStates: readonly State[] = [
  { name: 'calls', path: '/#/calls' },
  {
    name: 'calls-filters',
    path: '/#/calls?status=completed&direction=outbound',
    act: click('.call-find [aria-expanded]'),
  },
  { name: 'calls-none-found', path: '/#/calls?q=nothing-like-it' },
  {
    name: 'calls-keys',
    path: '/#/calls',
    act: async (page) => {
      await page.keyboard.press('?');
      await first(page, 'dialog').waitFor();
    },
  },
  { name: 'calls-lost', path: '/#/calls', act: goOffline, end: goOnline, isRefused: true },
  { name: 'calls-empty', path: '/#/calls', as: 'newcomer' },
];

const placeStates: readonly State[] = [
  { name: 'place-call', path: '/#/place-call' },
  { name: 'place-call-phone', path: '/#/place-call', act: click('.callees button:last-child') },
  {
    name: 'place-call-refused',
    path: '/#/place-call',
    act: async (page) => {
      await first(page, '[name=to]').fill('12');
      await submit(page);
      await first(page, '[aria-invalid=true]').waitFor();
    },
    isRefused: true,
  },
  { name: 'place-call-no-number', path: '/#/place-call', as: 'newcomer' },
  { name: 'place-call-viewer', path: '/#/place-call', as: 'viewer' },
];

/** Opens a file in the first empty side of the comparison. */
const openFile = (page: Page, name: string, buffer: Buffer): Promise<void> =>
  first(page, '.open-call input[type=file]').setInputFiles({ name, mimeType: 'application/json', buffer });

export const callStates = (gateway: FurnishedGateway, language: PictureLanguage): readonly State[] => {
  const finishedCall = gateway.finishedCall[language];
  const finished = `/#/calls/${finishedCall}`;
  return [
    ...listStates,
    { name: 'calls-found', path: `/#/calls?q=${wordOf[language]}`, lastPart: '.call-table mark' },
    ...liveStates(gateway, language),
    { name: 'call-finished', path: finished, lastPart: '.share-line' },
    {
      name: 'call-replayed',
      path: finished,
      act: async (page) => {
        await first(page, '.turn-time').click();
        await first(page, '.turns [aria-current]').waitFor();
      },
    },
    { name: 'call-again', path: `/#/place-call?again=${finishedCall}` },
    { name: 'call-failed', path: `/#/calls/${gateway.failedCall}` },
    {
      name: 'call-missing',
      path: '/#/calls/00000000-0000-0000-0000-000000000000',
      isRefused: true,
    },
    ...placeStates,
    { name: 'fleet', path: '/#/fleet', lastPart: '.state-map .busy' },
    {
      name: 'fleet-arrows',
      path: '/#/fleet',
      lastPart: '.fleet-states a',
      act: async (page) => {
        await page.locator('.fleet .card-head [aria-pressed]').last().click();
        await first(page, '.chart .busy').waitFor();
      },
    },
    { name: 'compare-empty', path: '/#/compare', lastPart: '.open-call button.row' },
    {
      name: 'compare',
      path: `/#/compare?one=${finishedCall}&other=${gateway.failedCall}`,
      lastPart: '.comparison .chart svg',
    },
    {
      name: 'compare-file',
      path: '/#/compare',
      act: async (page) => {
        await openFile(page, 'call.json', await gateway.exportCall(finishedCall));
        await first(page, '.comparison .chart svg').waitFor();
      },
    },
    {
      name: 'compare-file-refused',
      path: '/#/compare',
      act: async (page) => {
        await openFile(page, 'notes.json', Buffer.from('{}'));
        await page.locator('.open-call .error:not(:empty)').waitFor();
      },
    },
    { name: 'inspector', path: '/#/inspect', lastPart: '.inspected-calls a' },
    {
      name: 'inspector-call',
      path: (liveCall) => `/#/inspect/${liveCall}`,
      lastPart: '.inspector-actors button',
    },
  ];
};
