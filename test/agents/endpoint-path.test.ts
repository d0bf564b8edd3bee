import test from 'ava';
import { endpointPath } from '#src/agents/endpoint-path.ts';

const adds = test.macro<[title: string, chatUrl: string, path: string, expected: string]>({
  exec(t, _, chatUrl, path, expected) {
    t.is(endpointPath(chatUrl, path), expected);
  },
  title: (_, title) => title,
});

const base = 'https://agent.example.com';

test(adds, 'a path is added to a host', base, '/threads', `${base}/threads`);
test(adds, 'a path is added to a path', `${base}/v1`, '/chat/completions', `${base}/v1/chat/completions`);
test(adds, 'slashes at the end make no difference', `${base}/v1//`, '/threads', `${base}/v1/threads`);
test(adds, 'nor do they behind the host', `${base}//`, '/threads', `${base}/threads`);
test(adds, 'slashes elsewhere stay', `${base}/a//b/`, '/c', `${base}/a//b/c`);
test(adds, 'the query stays', `${base}/v1/?key=a%2Fb/`, '/threads', `${base}/v1/threads?key=a%2Fb/`);
test(adds, 'the port stays', 'http://127.0.0.1:2024/', '/threads', 'http://127.0.0.1:2024/threads');
test(adds, 'what is percent-encoded stays so', `${base}/a%2Fb%20c`, '/d%2Fe', `${base}/a%2Fb%20c/d%2Fe`);
test(adds, 'Korean in a chat URL is encoded', `${base}/상담`, '/x', `${base}/%EC%83%81%EB%8B%B4/x`);
