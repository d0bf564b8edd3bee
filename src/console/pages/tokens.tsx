import { listTokens, revokeToken } from '../api.ts';
import type { AdminToken } from '../api/records.ts';
import { texts } from '../language/language.ts';
import { Action } from '../parts/action.tsx';
import { ForAdmins } from '../parts/for-admins.tsx';
import { Loading, Page } from '../parts/page.tsx';
import { Pill, roleTones } from '../parts/pill.tsx';
import { dayAndTime } from '../parts/when.tsx';
import { usePolled } from '../polled.ts';
import { linkTo } from '../shown-page.ts';

const pollMs = 10_000;

export const TokensPage = () => {
  const t = texts.value.tokens;
  const { value: tokens, reload } = usePolled('tokens', listTokens, () => pollMs);
  if (tokens === undefined) return <Loading />;
  return (
    <Page
      title={texts.value.shell.nav.tokens}
      lead={t.lead}
      beside={
        <ForAdmins>
          <a class="button primary" href={linkTo('tokens', 'new')}>
            {t.add}
          </a>
        </ForAdmins>
      }
    >
      <ul class="rows" aria-label={texts.value.shell.nav.tokens}>
        {tokens.map((token) => (
          <TokenRow key={token.id} token={token} onRevoked={reload} />
        ))}
      </ul>
    </Page>
  );
};

const TokenRow = ({ token, onRevoked }: { token: AdminToken; onRevoked: () => void }) => {
  const t = texts.value.tokens;
  const { id, name, is_current: isCurrent, last_used_at: lastUsed, gateway } = token;
  return (
    <li class="row">
      <span class="row-main">
        <b>
          {name}
          {isCurrent && <small> {t.current}</small>}
        </b>
        <small>
          {[
            lastUsed === null ? t.neverUsed : t.lastUsed(dayAndTime(lastUsed)),
            endOf(token),
            ...(gateway === null ? [] : [t.ofGateway(gateway)]),
          ].join(' · ')}
        </small>
      </span>
      <span class="row-end">
        {token.state === 'expired' ? (
          <Pill tone="bad">{t.expired}</Pill>
        ) : (
          <Pill tone={roleTones[token.role]}>{t.roles[token.role]}</Pill>
        )}
        <Action
          look="danger"
          label={t.revoke}
          asked={{ title: t.revokeTitle(name), text: isCurrent ? t.revokeOwnText : t.revokeText }}
          act={async () => {
            await revokeToken(id);
            onRevoked();
          }}
        />
      </span>
    </li>
  );
};

const endOf = ({ expires_at: end, state }: AdminToken): string => {
  const t = texts.value.tokens;
  if (end === null) return t.endless;
  return state === 'expired' ? t.endedAt(dayAndTime(end)) : t.endsAt(dayAndTime(end));
};
