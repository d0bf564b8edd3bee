import { listNumbers, listWebhooks } from '../api.ts';
import { texts } from '../language/language.ts';
import { Empty, Loading, Page } from '../parts/page.tsx';
import { Pill } from '../parts/pill.tsx';
import { webhookTones } from '../parts/tones.ts';
import { usePolled } from '../polled.ts';
import { linkTo } from '../route.ts';

export const WebhooksPage = () => {
  const t = texts.value.webhooks;
  const webhooks = usePolled('webhooks', listWebhooks).value;
  const numbers = usePolled('numbers', listNumbers).value ?? [];
  const add = (
    <a class="button primary" href={linkTo('webhooks', 'new')}>
      {t.add}
    </a>
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
                  {numbers.find(({ id }) => id === webhook.number_id)?.number ?? t.anyNumber}
                </small>
              </span>
              <Pill tone={webhookTones[webhook.state]}>{t.state[webhook.state]}</Pill>
            </a>
          </li>
        ))}
      </ul>
    </Page>
  );
};
