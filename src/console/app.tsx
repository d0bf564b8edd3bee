/** Root of the console: session, frame and current page. */
import type { JSX, ComponentType } from 'preact';
import { session } from './session.ts';
import { Frame } from './parts/frame.tsx';
import { AdminPage, ForAdmins } from './parts/for-admins.tsx';
import { Missing, Loading } from './parts/page.tsx';
import { FindSession, OpenLink, SignIn, SignInAgain } from './pages/sign-in.tsx';
import { CallPage } from './pages/call.tsx';
import { CallsPage } from './pages/calls.tsx';
import { GatewaysPage } from './pages/gateways.tsx';
import { NewNumberPage } from './pages/new-number.tsx';
import { NewTokenPage } from './pages/new-token.tsx';
import { NewWebhookPage } from './pages/new-webhook.tsx';
import { NumbersPage } from './pages/numbers.tsx';
import { OverviewPage } from './pages/overview.tsx';
import { PlaceCallPage } from './pages/place-call.tsx';
import { TokensPage } from './pages/tokens.tsx';
import { TrunksPage } from './pages/trunks.tsx';
import { WebhookPage } from './pages/webhook.tsx';
import { WebhooksPage } from './pages/webhooks.tsx';
import { WorkspacePage } from './pages/workspace.tsx';
import { PhoneDock } from './phone/dock.tsx';
import { PhoneButton } from './phone/phone-button.tsx';
import { texts } from './language/language.ts';
import { isAskedToLeave, linkTo, route, leave, stay } from './shown-page.ts';
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { fetchPart } from './fetched-part.ts';
import { Dialog } from './parts/dialog.tsx';

/** Confirmation before leaving a page with unsaved changes. */
const LeaveQuestion = () => {
  const t = texts.value.shell.leaving;
  return (
    <Dialog title={t.title} onClose={stay}>
      <p>{t.text}</p>
      <div class="submit">
        <button type="button" class="primary" onClick={stay}>
          {t.stay}
        </button>
        <button type="button" class="danger" onClick={leave}>
          {t.leave}
        </button>
      </div>
    </Dialog>
  );
};

/**
 * A page whose script is loaded on demand, which keeps the initial download small. `name` is the name of the part;
 * `fetch` loads the page.
 */
const fetchedPage = <Props extends object>(
  name: string,
  fetch: () => Promise<ComponentType<Props>>,
): ComponentType<Props> => {
  const fetched = signal<ComponentType<Props> | undefined>(undefined);
  const bring = async (): Promise<void> => {
    fetched.value = await fetchPart(name, fetch);
  };
  return (props) => {
    useEffect(() => {
      if (fetched.peek() === undefined) void bring();
    }, []);
    const Fetched = fetched.value;
    return Fetched === undefined ? <Loading /> : <Fetched {...props} />;
  };
};

export const App = () => {
  const [section, code] = route.value.parts;
  if (section === 'sign-in' && code !== undefined) return <OpenLink key={code} code={code} />;
  if (session.value.is === 'unknown') return <FindSession />;
  if (session.value.is === 'nobody') return <SignIn refusedLink={session.value.refusedLink} />;
  return <SignedIn />;
};

/** Sign-in with another token changes the permissions but keeps the page's contents. */
const SignedIn = () => (
  <div class="desk">
    <Frame
      phone={
        <ForAdmins>
          <PhoneButton />
        </ForAdmins>
      }
    >
      <CurrentPage />
    </Frame>
    <ForAdmins>
      <PhoneDock />
    </ForAdmins>
    {isAskedToLeave.value && <LeaveQuestion />}
    {session.value.is === 'over' && <SignInAgain />}
  </div>
);

const InspectPage = fetchedPage('inspect', async () => (await import('./pages/inspect.tsx')).InspectPage);
const NumberPage = fetchedPage('number', async () => (await import('./pages/number.tsx')).NumberPage);
const TrunkPage = fetchedPage('trunk', async () => (await import('./pages/trunk.tsx')).TrunkPage);
const NewTrunkPage = fetchedPage(
  'new-trunk',
  async () => (await import('./pages/new-trunk.tsx')).NewTrunkPage,
);
const AuditPage = fetchedPage('audit', async () => (await import('./pages/audit.tsx')).AuditPage);
const TryAgentPage = fetchedPage(
  'try-agent',
  async () => (await import('./pages/try-agent.tsx')).TryAgentPage,
);

const asAdmin = (page: JSX.Element) => <AdminPage>{page}</AdminPage>;

/** The property `key` remounts the page for another record. */
const CurrentPage = () => {
  const [section = 'overview', id, tab] = route.value.parts;
  switch (section) {
    case 'overview':
      return <OverviewPage />;
    case 'calls':
      return id === undefined ? <CallsPage /> : <CallPage key={id} id={id} />;
    case 'place-call':
      return asAdmin(<PlaceCallPage />);
    case 'numbers':
      if (id === undefined) return <NumbersPage />;
      return id === 'new' ? asAdmin(<NewNumberPage />) : <NumberPage key={id} id={id} tab={tab} />;
    case 'agents':
      return asAdmin(<TryAgentPage />);
    case 'webhooks':
      if (id === undefined) return <WebhooksPage />;
      return id === 'new' ? asAdmin(<NewWebhookPage />) : <WebhookPage key={id} id={id} />;
    case 'trunks':
      if (id === undefined) return <TrunksPage />;
      return id === 'new' ? asAdmin(<NewTrunkPage />) : <TrunkPage key={id} id={id} />;
    case 'audit':
      return <AuditPage />;
    case 'workspace':
      return <WorkspacePage />;
    case 'tokens':
      return id === 'new' ? asAdmin(<NewTokenPage />) : <TokensPage />;
    case 'inspect':
      return <InspectPage key={id} id={id ?? null} />;
    case 'gateways':
      return <GatewaysPage />;
    default:
      return <Missing back={{ to: linkTo('calls'), label: texts.value.shell.nav.calls }} />;
  }
};
