/** States of the web phone, beside the list of calls. */
import type { Page } from 'playwright-core';
import type { FurnishedGateway, PictureLanguage } from './furnished-gateway.ts';
import { click, first, type State } from './state.ts';

export const phoneStates = (gateway: FurnishedGateway, language: PictureLanguage): readonly State[] => {
  let call = '';
  /** Rings at the page, which must be connected as a web phone before. */
  const ring = async (page: Page): Promise<void> => {
    await first(page, '.phone-button:not(.room)').waitFor();
    call = await gateway.placePhoneCall(language);
    await first(page, '.ringing').waitFor();
  };
  const answer = async (page: Page): Promise<void> => {
    await ring(page);
    await first(page, '.ringing .primary').click();
    await first(page, '.talk .assistant').waitFor();
  };
  const endTalk = (): Promise<void> => gateway.endCall(language, call);
  const onCalls = { path: '/#/calls' } as const;
  return [
    {
      name: 'phone',
      ...onCalls,
      act: async (page) => {
        await click('.phone-button')(page);
        await first(page, '.phone-body').waitFor();
      },
    },
    {
      name: 'phone-ringing',
      ...onCalls,
      act: ring,
      end: () => gateway.cancelCall(language, call),
    },
    { name: 'phone-talking', ...onCalls, act: answer, end: endTalk },
    {
      name: 'phone-keypad',
      ...onCalls,
      act: async (page) => {
        await answer(page);
        await first(page, '.phone-tools [aria-pressed]').click();
        await first(page, '.keypad').waitFor();
      },
      end: endTalk,
    },
    {
      name: 'phone-folded',
      ...onCalls,
      act: async (page) => {
        await answer(page);
        await first(page, '.phone-body header button').click();
        await first(page, '.phone-button.primary').waitFor();
      },
      end: endTalk,
    },
    {
      name: 'phone-ended',
      ...onCalls,
      act: async (page) => {
        await answer(page);
        await first(page, '.hang-up').click();
        await first(page, '.talk a.primary').waitFor();
      },
    },
  ];
};
