/** The frame around every page: navigation, language and connection status. */
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { connection } from '../connection.ts';
import { lacksPart } from '../fetched-part.ts';
import { language, languageNames, speak, texts } from '../language/language.ts';
import type { ConsoleLanguage } from '../language/texts.ts';
import { linkTo, page, route } from '../shown-page.ts';
import { admin, mayChange } from '../session.ts';
import { signOut, signOutEverywhere } from '../signing.ts';
import { Action } from './action.tsx';

const links = [
  ['overview', 'overview'],
  ['calls', 'calls'],
  ['fleet', 'fleet'],
  ['compare', 'compare'],
  ['place-call', 'place'],
  ['numbers', 'numbers'],
  ['agents', 'agents'],
  ['rehearsals', 'rehearsals'],
  ['webhooks', 'webhooks'],
  ['trunks', 'trunks'],
  ['audit', 'audit'],
  ['workspace', 'workspace'],
  ['tokens', 'tokens'],
  ['gateways', 'gateways'],
] as const;

/** Pages that only admins can open. */
const forAdmins: readonly string[] = ['fleet', 'place-call', 'agents'];

const shownLinks = () => links.filter(([section]) => mayChange.value || !forAdmins.includes(section));

/** Address and name of each page of the navigation. */
export const pageLinks = (): [string, string][] =>
  shownLinks().map(([section, name]) => [linkTo(section), texts.value.shell.nav[name]]);

export const Mark = () => (
  <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="8" />
    <path d="M7 19v-6M12 22V10M17 25V7M22 20v-8M26 17v-2" />
  </svg>
);

export const LanguageChoice = () => (
  <div>
    <Languages />
    <p class="lacks-words" role="status">
      {lacksPart.value && (
        <>
          {texts.value.shell.lacksPart}{' '}
          <button type="button" onClick={() => location.reload()}>
            {texts.value.shell.loadAgain}
          </button>
        </>
      )}
    </p>
  </div>
);

const Languages = () => (
  <div class="languages" role="group" aria-label={texts.value.shell.language}>
    {(Object.keys(languageNames) as ConsoleLanguage[]).map((one) => (
      <button
        key={one}
        type="button"
        lang={one}
        aria-pressed={language.value === one}
        onClick={() => void speak(one)}
      >
        {languageNames[one]}
      </button>
    ))}
  </div>
);

/** The only message about a lost connection; it stays in sight while the page is scrolled. */
export const ConnectionNotice = () => {
  const t = texts.value.shell;
  const { is } = connection.value;
  return (
    <p class={`connection ${is}`} role="status">
      {is === 'lost' && t.lost}
      {is === 'restored' && t.found}
    </p>
  );
};

/** The token of the session, and the buttons to sign out. */
const SignedInAs = () => {
  const t = texts.value.shell;
  if (admin.value === null) return null;
  const { name, role } = admin.value;
  return (
    <div class="signed-in">
      <p>
        {t.signedInAs} <b>{name}</b> {texts.value.tokens.roles[role]}
      </p>
      <Action isForAll label={t.signOut} act={signOut} />
      <Action
        isForAll
        label={t.signOutEverywhere}
        asked={{ title: t.signOutEverywhere, text: t.signOutEverywhereText(name) }}
        act={signOutEverywhere}
      />
    </div>
  );
};

/** Side navigation, which folds away on narrow screens, and the page beside it. */
export const SideFrame = ({
  home,
  phone,
  links: pages,
  end,
  look = '',
  children,
}: {
  /** Link target of the product name. */
  home: string;
  /** The button of the web phone. */
  phone?: ComponentChildren;
  links: ComponentChildren;
  end: ComponentChildren;
  look?: string;
  children: ComponentChildren;
}) => {
  const t = texts.value.shell;
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    setOpen(false);
    scrollTo(0, 0);
  }, [page.value]);
  return (
    <div class="frame-room">
      <div class={`frame ${look}`}>
        <a
          class="skip"
          href="#content"
          onClick={(event) => {
            event.preventDefault();
            document.querySelector<HTMLElement>('h1')?.focus();
          }}
        >
          {t.skip}
        </a>
        <header class="side">
          <a class="brand" href={home}>
            <Mark />
            Trunkline
          </a>
          {phone}
          <button
            type="button"
            class="menu"
            aria-expanded={isOpen}
            aria-controls="pages"
            onClick={() => setOpen(!isOpen)}
          >
            {t.menu}
          </button>
          <div id="pages" class={isOpen ? 'open' : ''}>
            {pages}
            <div class="side-end">{end}</div>
          </div>
        </header>
        <main id="content">
          <ConnectionNotice />
          {children}
        </main>
      </div>
    </div>
  );
};

/** Frame around every page. `phone` is the button of the web phone. */
export const Frame = ({ phone, children }: { phone: ComponentChildren; children: ComponentChildren }) => {
  const t = texts.value.shell;
  const current = route.value.parts[0] ?? 'overview';
  const shown = shownLinks();
  return (
    <SideFrame
      home={linkTo('overview')}
      phone={phone}
      links={
        <nav aria-label={t.pages}>
          <ul>
            {shown.map(([section, name]) => (
              <li key={section}>
                <a href={linkTo(section)} {...(section === current ? { 'aria-current': 'page' } : {})}>
                  {t.nav[name]}
                </a>
              </li>
            ))}
          </ul>
        </nav>
      }
      end={
        <>
          <a href="/docs">{t.reference}</a>
          <LanguageChoice />
          <SignedInAs />
        </>
      }
    >
      {children}
    </SideFrame>
  );
};
