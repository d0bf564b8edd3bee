/** Web phones of two gateways on a simulated clock: the pages are at gateway `here`, the other gateway is `there`. */
import { connectEverywhere } from '#sip/webphone/phone-switch.ts';
import type { PhoneLinkEvents } from '#src/domain/linked-phone.ts';
import type { ToPhone } from '#src/domain/web-phone.ts';
import { createOrderedClock } from '#test/contract/ordered-clock.ts';
import { comeBackMs, createPhoneNetwork } from './phone-network.ts';

export const createLinkedNetworks = () => {
  const clock = createOrderedClock();
  const [here, there] = [createPhoneNetwork(clock), createPhoneNetwork(clock)];

  /** Opens a page. */
  const page = (name = 'phone-0001') => {
    const told: ToPhone[] = [];
    const frames: Uint8Array[] = [];
    let isReplaced = false;
    let link: { cut(): void; restore(): void } | undefined;
    const connection = connectEverywhere(
      {
        workspaceId: 'here',
        name,
        // The messages of a network have this type.
        tell: (message) => told.push(message as ToPhone),
        play: (frame) => frames.push(frame),
        replaced: () => (isReplaced = true),
        dial: here.dial,
      },
      {
        phones: here.phones,
        node: 'here',
        now: clock.now,
        comeBackMs,
        clock,
        linkPhone(phone, on: PhoneLinkEvents) {
          const open = () => {
            const messages: ToPhone[] = [];
            let isOpen = false;
            const linked = there.phones.connect({
              ...phone,
              tell: (message) => (isOpen ? on.told('there', message) : messages.push(message)),
              play: (frame) => on.played('there', frame),
              replaced: on.replaced,
              dial: () => Promise.reject(new Error('A page dials at its own gateway')),
            });
            on.opened('there', { send: linked.receive, sendFrame: linked.hear });
            isOpen = true;
            for (const message of messages) on.told('there', message);
            return linked;
          };
          let current = open();
          link = {
            cut() {
              current.lost();
              on.lost('there');
            },
            restore: () => (current = open()),
          };
          return () => current.lost();
        },
      },
    );
    return {
      told,
      frames,
      send: connection.receive,
      close: connection.lost,
      wasReplaced: () => isReplaced,
      story: () => told.map(({ type }) => type),
      cut: () => link?.cut(),
      restore: () => link?.restore(),
    };
  };
  return { clock, here, there, page };
};
