/** The connection to the gateway, as the last request found it. All pages share this state. */
import { computed, signal } from '@preact/signals';

export type Connection =
  | { is: 'open' }
  /** `asOf` is the time of the gateway's last response in milliseconds since the epoch: pages are current until then. */
  | { is: 'lost'; asOf: number }
  /** State for a moment after a lost connection. */
  | { is: 'restored' };

/** Interval in milliseconds at which a lost connection is tried again. */
const retryMs = 2_000;

/** Time in milliseconds after which such a request counts as unanswered. */
const longestRetryMs = 10_000;

/** Time in milliseconds for which pages show that the connection is restored. */
const restoredMs = 4_000;

const state = signal<Connection>({ is: 'open' });

export const connection = computed(() => state.value);

export const isConnectionLost = computed(() => state.value.is === 'lost');

let answeredAt = Date.now();
let timer: ReturnType<typeof setTimeout> | undefined;

/**
 * Requests the smallest resource until the gateway answers. Without these requests a page that polls nothing would not
 * notice the gateway's return, because its actions are disabled.
 */
const retry = async (lost: Connection): Promise<void> => {
  if (!document.hidden) {
    const init = { headers: { 'X-Trunkline-Console': '1' }, signal: AbortSignal.timeout(longestRetryMs) };
    const response = await fetch('/api/v1/admin/tokens/current', init).catch(() => undefined);
    if (response !== undefined && response.status < 500) noteAnswer(true);
  }
  // Another request may have ended the loss meanwhile.
  if (state.value === lost) retryLater(lost);
};

const retryLater = (lost: Connection): void => {
  timer = setTimeout(() => void retry(lost), retryMs);
};

/** Records whether the gateway has answered a request. */
export const noteAnswer = (isAnswered: boolean): void => {
  if (isAnswered) answeredAt = Date.now();
  if (isAnswered !== isConnectionLost.value) return;
  clearTimeout(timer);
  if (isAnswered) {
    state.value = { is: 'restored' };
    timer = setTimeout(() => (state.value = { is: 'open' }), restoredMs);
  } else {
    state.value = { is: 'lost', asOf: answeredAt };
    retryLater(state.value);
  }
};
