import type { ComponentChildren } from 'preact';
import type { Overview } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { count } from '../parts/figures.ts';
import { Card } from '../parts/page.tsx';
import { WebhookState } from '../parts/webhook-state.tsx';
import { linkTo } from '../shown-page.ts';
import { callsOf } from './links.ts';

const List = ({ title, children }: { title: string; children: ComponentChildren[] }) =>
  children.length === 0 ? null : (
    <>
      <h3>{title}</h3>
      <ul class="failing">{children}</ul>
    </>
  );

export const isFailing = ({ agents, trunks, webhooks }: Overview): boolean =>
  agents.length + trunks.length + webhooks.length > 0;

/** Failing agents, trunks and webhooks, with the number of failed calls or events. */
export const Failing = ({ overview }: { overview: Overview }) => {
  const { days, agents, trunks, webhooks } = overview;
  const t = texts.value.overview;
  const { ended, direction } = texts.value.calls;
  const failed = (one: { failed: number; calls: number }) => t.failed(count(one.failed), count(one.calls));
  return (
    <Card title={t.failing}>
      {!isFailing(overview) && <p class="fine">{t.allFine}</p>}
      <List title={t.agents}>
        {agents.map((agent) => (
          <li key={`${agent.number_id} ${agent.direction} ${agent.end_reason}`}>
            <a href={linkTo('numbers', agent.number_id, agent.direction)}>{agent.number}</a>
            <small>
              {direction[agent.direction]} · {ended[agent.end_reason]}
            </small>
            <a
              class="count"
              href={callsOf(days, {
                number_id: agent.number_id,
                direction: agent.direction,
                end_reason: agent.end_reason,
              })}
            >
              {failed(agent)}
            </a>
          </li>
        ))}
      </List>
      <List title={t.trunks}>
        {trunks.map((trunk) => (
          <li key={trunk.trunk_id}>
            <a href={linkTo('trunks', trunk.trunk_id)}>{trunk.name}</a>
            <a class="count" href={callsOf(days, { trunk_id: trunk.trunk_id, end_reason: 'trunk_error' })}>
              {failed(trunk)}
            </a>
          </li>
        ))}
      </List>
      <List title={t.webhooks}>
        {webhooks.map((webhook) => (
          <li key={webhook.id}>
            <a class="long" href={linkTo('webhooks', webhook.id)}>
              {webhook.url}
            </a>
            <small>{webhook.dead > 0 && t.dead(webhook.dead)}</small>
            <WebhookState webhook={webhook} />
          </li>
        ))}
      </List>
    </Card>
  );
};
