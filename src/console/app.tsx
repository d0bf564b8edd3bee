/** Root of the console: session, frame and current page. */
import type { JSX, ComponentType } from 'preact';
import { session } from './session.ts';
import { Frame, pageLinks } from './parts/frame.tsx';
import { AdminPage, ForAdmins } from './parts/for-admins.tsx';
import { Loading, UnknownPage } from './parts/page.tsx';
import { FindSession, OpenLink, SignIn, SignInAgain } from './pages/sign-in.tsx';
import { CallsPage } from './pages/calls.tsx';
import { OverviewPage } from './pages/overview.tsx';
import { dockShape } from './phone/dock-state.ts';
import { PhoneButton } from './phone/phone-button.tsx';
import { connectPhone } from './phone/phone-connection.ts';
import { texts } from './language/language.ts';
import { isAskedToLeave, leave, page, route, stay } from './shown-page.ts';
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
 * A component whose script is loaded on demand, which keeps the initial download small. `name` is the name of the part,
 * and `waiting` is shown until it is loaded.
 */
const fetchedComponent = <Props extends object>(
  name: string,
  fetch: () => Promise<ComponentType<Props>>,
  waiting: JSX.Element | null = null,
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
    return Fetched === undefined ? waiting : <Fetched {...props} />;
  };
};

const fetchedPage = <Props extends object>(
  name: string,
  fetch: () => Promise<ComponentType<Props>>,
): ComponentType<Props> => fetchedComponent(name, fetch, <Loading />);

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
      <Phone />
    </ForAdmins>
    {isAskedToLeave.value && <LeaveQuestion />}
    {session.value.is === 'over' && <SignInAgain />}
  </div>
);

const PhoneDock = fetchedComponent('phone', async () => (await import('./phone/dock.tsx')).PhoneDock);

/** The web phone, which is connected on every page and loaded when it opens for the first time. */
const Phone = () => {
  const signedInAs = session.value.is === 'signed-in' ? session.value.as.id : null;
  useEffect(() => (signedInAs === null ? undefined : connectPhone()), [signedInAs]);
  const isShown = dockShape.value === 'open' || dockShape.value === 'folded';
  return isShown ? <PhoneDock /> : null;
};

// The overview and the list of calls are part of the initial download, because most visits begin with them.
const CallPage = fetchedPage('call', async () => (await import('./pages/call.tsx')).CallPage);
const PlaceCallPage = fetchedPage(
  'place-call',
  async () => (await import('./pages/place-call.tsx')).PlaceCallPage,
);
const NumbersPage = fetchedPage('numbers', async () => (await import('./pages/numbers.tsx')).NumbersPage);
const NumberPage = fetchedPage('number', async () => (await import('./pages/number.tsx')).NumberPage);
const NewNumberPage = fetchedPage(
  'new-number',
  async () => (await import('./pages/new-number.tsx')).NewNumberPage,
);
const TryAgentPage = fetchedPage(
  'try-agent',
  async () => (await import('./pages/try-agent.tsx')).TryAgentPage,
);
const WebhooksPage = fetchedPage('webhooks', async () => (await import('./pages/webhooks.tsx')).WebhooksPage);
const WebhookPage = fetchedPage('webhook', async () => (await import('./pages/webhook.tsx')).WebhookPage);
const NewWebhookPage = fetchedPage(
  'new-webhook',
  async () => (await import('./pages/new-webhook.tsx')).NewWebhookPage,
);
const TrunksPage = fetchedPage('trunks', async () => (await import('./pages/trunks.tsx')).TrunksPage);
const TrunkPage = fetchedPage('trunk', async () => (await import('./pages/trunk.tsx')).TrunkPage);
const NewTrunkPage = fetchedPage(
  'new-trunk',
  async () => (await import('./pages/new-trunk.tsx')).NewTrunkPage,
);
const AuditPage = fetchedPage('audit', async () => (await import('./pages/audit.tsx')).AuditPage);
const WorkspacePage = fetchedPage(
  'workspace',
  async () => (await import('./pages/workspace.tsx')).WorkspacePage,
);
const TokensPage = fetchedPage('tokens', async () => (await import('./pages/tokens.tsx')).TokensPage);
const NewTokenPage = fetchedPage(
  'new-token',
  async () => (await import('./pages/new-token.tsx')).NewTokenPage,
);
const InspectPage = fetchedPage('inspect', async () => (await import('./pages/inspect.tsx')).InspectPage);
const FleetPage = fetchedPage('fleet', async () => (await import('./pages/fleet.tsx')).FleetPage);
const ComparePage = fetchedPage('compare', async () => (await import('./pages/compare.tsx')).ComparePage);
const RehearsalsPage = fetchedPage(
  'rehearsals',
  async () => (await import('./pages/rehearsals.tsx')).RehearsalsPage,
);
const GatewaysPage = fetchedPage('gateways', async () => (await import('./pages/gateways.tsx')).GatewaysPage);

const asAdmin = (page: JSX.Element) => <AdminPage>{page}</AdminPage>;

/** The property `key` remounts the page for another record. */
const CurrentPage = () => {
  const [section = 'overview', id, tab] = route.value.parts;
  switch (section) {
    case 'overview':
      return <OverviewPage />;
    case 'calls':
      return id === undefined ? <CallsPage /> : <CallPage key={id} id={id} />;
    case 'compare':
      return <ComparePage />;
    case 'fleet':
      return asAdmin(<FleetPage />);
    case 'place-call':
      return asAdmin(<PlaceCallPage />);
    case 'numbers':
      if (id === undefined) return <NumbersPage />;
      return id === 'new' ? asAdmin(<NewNumberPage />) : <NumberPage key={id} id={id} tab={tab} />;
    case 'agents':
      return asAdmin(<TryAgentPage />);
    case 'rehearsals':
      return <RehearsalsPage id={id} />;
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
      return <UnknownPage path={`#/${page.value}`} links={pageLinks()} />;
  }
};
