import { useEffect, useId, useState } from 'preact/hooks';
import { texts } from '../language/language.ts';
import { statelyWords } from '../language/stately.ts';
import { LanguageChoice, SideFrame } from '../parts/frame.tsx';
import { Page } from '../parts/page.tsx';
import { usePolled } from '../polled.ts';
import { session } from '../session.ts';
import { learnSession } from '../signing.ts';
import { statelyAddress, useReachable, useStately, type Stately, type Wanted } from './use-stately.ts';

/** Address of the console's own inspector. */
const ownInspector = (call: string): string =>
  `/#/inspect${call === '' ? '' : `/${encodeURIComponent(call)}`}`;

const TextInput = ({
  label,
  name,
  value,
  placeholder,
  isSecret = false,
}: {
  label: string;
  name: string;
  value: string;
  placeholder: string;
  isSecret?: boolean;
}) => {
  const id = useId();
  const shared = {
    id,
    name,
    defaultValue: value,
    placeholder,
    autocomplete: 'off',
    spellcheck: false,
  } as const;
  return (
    <div class="filter">
      <label for={id}>{label}</label>
      {isSecret ? <input {...shared} type="password" /> : <input {...shared} type="text" />}
    </div>
  );
};

const textIn = (data: FormData, name: string): string => {
  const value = data.get(name);
  return typeof value === 'string' ? value.trim() : '';
};

const WatchForm = ({ given, watch }: { given: Wanted; watch: (wanted: Wanted) => void }) => {
  const t = statelyWords.value;
  // A session needs no token.
  const takesToken = session.value.is === 'nobody';
  return (
    <form
      class="watch"
      onSubmit={(event) => {
        event.preventDefault();
        const data = new FormData(event.currentTarget);
        watch({ token: textIn(data, 'token'), call: textIn(data, 'call') });
      }}
    >
      {takesToken && (
        <TextInput label={t.token} name="token" value={given.token} placeholder="gw_admin_" isSecret />
      )}
      <TextInput label={t.call} name="call" value={given.call} placeholder={t.everyCall} />
      <button class="primary">{t.watch}</button>
    </form>
  );
};

/** One sentence about the inspector and its connection. */
const statusOf = (
  reachable: 'looking' | 'yes' | 'no',
  { link, hasMessages, isInWindow }: Stately,
): string => {
  const t = statelyWords.value;
  if (link.is === 'joining') return t.joining;
  if (link.is === 'open') return hasMessages ? t.watching : t.noCall;
  if (link.is === 'refused') return t.refused;
  if (link.is === 'over') return link.reason === '' ? t.over : `${t.over}: ${link.reason}`;
  if (isInWindow || reachable === 'yes') return t.loading;
  return reachable === 'looking' ? t.looking : '';
};

export const StatelyPage = ({ given }: { given: Wanted }) => {
  const t = statelyWords.value;
  usePolled('session', learnSession);
  const reachable = useReachable();
  const [wanted, setWanted] = useState<Wanted | null>(given.token === '' ? null : given);
  const [isBlocked, setBlocked] = useState(false);
  const stately = useStately(wanted);
  const isSignedIn = session.value.is === 'signed-in';
  useEffect(() => {
    if (isSignedIn) setWanted((before) => before ?? given);
  }, [isSignedIn]);
  const own = ownInspector(wanted?.call ?? given.call);
  return (
    <SideFrame
      home="/"
      look="stately"
      phone={
        <a class="button" href="/">
          <span aria-hidden="true">← </span>
          {t.console}
        </a>
      }
      links={
        <nav aria-label={texts.value.shell.pages}>
          <ul>
            <li>
              <a href="/#/calls">{texts.value.shell.nav.calls}</a>
            </li>
            <li>
              <a href={own}>{t.own}</a>
            </li>
          </ul>
        </nav>
      }
      end={<LanguageChoice />}
    >
      <Page
        title={t.title}
        lead={t.lead}
        beside={
          <button type="button" onClick={() => setBlocked(!stately.openWindow())}>
            {t.window}
          </button>
        }
      >
        <WatchForm given={given} watch={setWanted} />
        <p class="hint" role="status">
          {statusOf(reachable, stately)}
        </p>
        {reachable === 'no' && !stately.isInWindow && (
          <div class="notice" role="alert">
            <p>{t.unreachable}</p>
            <a href={own}>{t.ownInstead}</a>
          </div>
        )}
        {isBlocked && (
          <p class="notice" role="alert">
            {t.blocked}
          </p>
        )}
        {reachable === 'yes' && !stately.isInWindow && (
          <iframe ref={stately.frame} title={t.title} src={statelyAddress} />
        )}
      </Page>
    </SideFrame>
  );
};
