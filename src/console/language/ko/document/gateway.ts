/** Sign-in, gateway status and web pages. */
export const gateway: Readonly<Record<string, string>> = {
  Console: '콘솔',
  'Signing a browser in to the console and out of it.':
    '브라우저가 콘솔에 로그인하고 로그아웃하는 방법입니다.',
  Operation: '운영',
  'The state of the gateway.': '게이트웨이의 상태입니다.',
  Pages: '페이지',
  'Pages for people.': '사람이 보는 페이지입니다.',
  'Sign a browser in': '브라우저 로그인',
  'With an admin token, or with the code of a one-time sign-in link. The session is a cookie that scripts cannot read, for the pages of this gateway only; it ends after 30 days, after a week without use, and with its token. Programs send the token itself.':
    '관리자 토큰이나 한 번만 로그인하는 링크의 코드로 로그인합니다. 세션은 스크립트가 읽을 수 없는 쿠키이며 이 게이트웨이의 페이지에만 쓰입니다. 30일 뒤, 일주일 동안 쓰지 않았을 때, 또는 토큰이 끝나면 끝납니다. 프로그램은 토큰을 직접 보냅니다.',
  'Sign this browser out': '이 브라우저 로그아웃',
  'Ends its session and removes the cookie. Idempotent.':
    '세션을 끝내고 쿠키를 지웁니다. 이미 끝난 세션이어도 괜찮습니다.',
  'Sign every browser out': '모든 브라우저 로그아웃',
  "Ends all sessions that were started with the same admin token as this browser's. The token itself stays valid.":
    '이 브라우저와 같은 관리자 토큰으로 시작한 모든 세션을 끝냅니다. 토큰은 그대로 유효합니다.',
  'Is the process alive?': '프로세스가 살아 있나요?',
  'Responds as long as the process runs, whatever it depends on.':
    '의존하는 것과 관계없이 프로세스가 실행되는 동안 응답합니다.',
  'Can calls be placed here?': '전화를 걸 수 있나요?',
  'Checks the database, the data folder and the telephone lines. A gateway that is shutting down is not ready.':
    '데이터베이스, 데이터 폴더, 전화 회선을 확인합니다. 게이트웨이가 종료되는 동안에는 준비되지 않은 상태입니다.',
  'Metrics for Prometheus': 'Prometheus용 지표',
  'In the text format of Prometheus.': 'Prometheus 텍스트 형식입니다.',
  'The console': '콘솔',
  'For workspace admins, in a browser: numbers and agents, live calls, webhooks, trunks.':
    '워크스페이스 관리자가 브라우저에서 번호와 에이전트, 진행 중인 통화, 웹훅, 회선을 다룹니다.',
  'A file of the console': '콘솔의 파일',
  "Scripts, styles and pictures of the console. A file's name changes with its content.":
    '콘솔의 스크립트, 스타일, 그림입니다. 내용이 바뀌면 파일 이름도 바뀝니다.',
  'The reference page': 'API 문서 페이지',
  'This document for people, with a form to try each operation.':
    '사람이 읽고 각 작업을 직접 실행할 수 있는 문서입니다.',
  'Calls in the Stately inspector': 'Stately 인스펙터로 보는 통화',
  'A page that shows the statecharts of calls in progress in the Stately inspector, which it loads from stately.ai. As a websocket (`?token=` an admin token, optional for a browser with a console session; `?call=` one call, or absent for all) this address uses the inspection protocol. Only with `GW_INSPECT=1`.':
    '진행 중인 통화의 상태 차트를 stately.ai에서 불러온 Stately 인스펙터로 보여 주는 페이지입니다. 이 주소에 웹소켓으로 연결하면 인스펙션 프로토콜을 직접 씁니다(`?token=`은 관리자 토큰이며 콘솔에 로그인한 브라우저는 보내지 않아도 됩니다. `?call=`은 통화 하나이고, 없으면 모든 통화입니다). `GW_INSPECT=1`일 때만 있습니다.',
  'This document': '이 문서',
  'The OpenAPI 3.1 document of this API, for generators and tools.':
    '코드 생성기와 도구를 위한 이 API의 OpenAPI 3.1 문서입니다.',
};
