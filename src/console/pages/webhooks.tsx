import { listNumbers, listWebhooks } from '../api.ts';
import { texts } from '../language/language.ts';
import { ForAdmins } from '../parts/for-admins.tsx';
import { Empty, Loading, Page } from '../parts/page.tsx';
import { isFailing, troubleWords, WebhookState, WebhookTimes } from '../parts/webhook-state.tsx';
import { usePolled } from '../polled.ts';
import { linkTo } from '../shown-page.ts';

/** Polling interval, because endpoints may fail or recover while the page is open. */
const pollMs = 5_000;

export const WebhooksPage = () => {
  const t = texts.value.webhooks;
  const webhooks = usePolled('webhooks', listWebhooks, () => pollMs).value;
  const numbers = usePolled('numbers', listNumbers).value;
  const numberOf = (wanted: string): string | undefined =>
    numbers && (numbers.find(({ id }) => id === wanted)?.number ?? t.deletedNumber);
  const add = (
    <ForAdmins>
      <a class="button primary" href={linkTo('webhooks', 'new')}>
        {t.add}
      </a>
    </ForAdmins>
  );
  if (webhooks === undefined) return <Loading />;
  return (
    <Page title={texts.value.shell.nav.webhooks} lead={t.lead} beside={webhooks.length > 0 && add}>
      {webhooks.length === 0 && (
        <Empty title={t.empty} hint={t.emptyHint}>
          {add}
        </Empty>
      )}
      <ul class="rows" aria-label={texts.value.shell.nav.webhooks}>
        {webhooks.map((webhook) => (
          <li key={webhook.id}>
            <a class="row" href={linkTo('webhooks', webhook.id)}>
              <span class="row-main">
                <b class="long">{webhook.url}</b>
                <small>
                  {webhook.events?.join(', ') ?? t.eventsAll}
                  {' · '}
                  {webhook.number_id === null ? t.anyNumber : numberOf(webhook.number_id)}
                </small>
                {(isFailing(webhook) || webhook.state === 'disabled') && (
                  <small class="whole">{troubleWords(webhook)}</small>
                )}
                <WebhookTimes webhook={webhook} />
              </span>
              <WebhookState webhook={webhook} />
            </a>
          </li>
        ))}
      </ul>
    </Page>
  );
};
