/** Rehearsals: runs of suites of simulated callers, and personas of simulated calls. */
export const rehearsals: Readonly<Record<string, string>> = {
  Rehearsals: '리허설',
  'Runs of suites of simulated callers and callees, with their results.':
    '가상의 발신자와 수신자로 이루어진 시나리오의 실행과 그 결과입니다.',
  'Run a suite of simulated callers': '시나리오 실행',
  'Runs the suite on the simulated line with the agents of the number. It costs what the agent costs; personas and rubrics also make requests to the language model of the gateway. A number has one run at a time, and others wait for it.':
    '번호의 에이전트를 상대로 시뮬레이션 회선에서 시나리오를 실행합니다. 에이전트 비용이 들고, 페르소나나 평가 문장(rubric)이 있으면 게이트웨이의 언어 모델에도 요청합니다. 번호마다 한 번에 하나만 실행되고 나머지는 기다립니다.',
  'The suite in YAML, as `guides/rehearsals.md` describes.':
    'YAML로 쓴 시나리오입니다. 형식은 `guides/rehearsals.md`에 있습니다.',
  'A name, by which runs are compared, such as that of the file. Default: `suite`.':
    '실행을 서로 비교할 때 쓰는 이름입니다. 파일 이름을 쓰면 됩니다. 기본값: `suite`.',
  'The number whose agent is rehearsed, in domestic format. Default: that of the suite, or the first of the workspace.':
    '에이전트를 시험할 번호(국내 형식)입니다. 기본값: 시나리오의 번호, 없으면 워크스페이스의 첫 번호.',
  'Calls of each case. Default: 1.': '시나리오마다 거는 통화 수입니다. 기본값: 1.',
  'Calls at once. Default: 1.': '동시에 거는 통화 수입니다. 기본값: 1.',
  'The run, which has started or waits.': '시작했거나 기다리는 실행입니다.',
  'List the runs of suites': '실행 목록',
  'Newest first. The last 200 runs of the workspace are stored.':
    '최근 것부터 보여 줍니다. 워크스페이스마다 최근 200개를 보관합니다.',
  'A page of runs.': '실행 목록의 한 페이지입니다.',
  'Read the results of a run': '실행 결과 읽기',
  'Results of the finished cases, also while the run goes on. The words are in the transcripts of the calls.':
    '끝난 시나리오의 결과를 실행 중에도 보여 줍니다. 대화 내용은 각 통화에 있습니다.',
  'The run with its results.': '실행과 그 결과입니다.',
  'Cancel a run': '실행 취소',
  'Hangs up its calls and starts no more. A run that has ended stays as it is.':
    '진행 중인 통화를 끊고 더 걸지 않습니다. 이미 끝난 실행은 그대로입니다.',
  'The run.': '실행입니다.',
  'The name of the suite, by which runs are compared.': '실행을 서로 비교할 때 쓰는 시나리오 이름입니다.',
  'The number whose agent was rehearsed.': '에이전트를 시험한 번호입니다.',
  '`queued`: another run uses the number. `interrupted`: the gateway of the run ended before the run did.':
    '`queued`: 다른 실행이 이 번호를 쓰고 있습니다. `interrupted`: 실행이 끝나기 전에 게이트웨이가 종료되었습니다.',
  'Why the run ended early; null for a run to its end.':
    '일찍 끝난 이유입니다. 끝까지 실행했으면 null입니다.',
  'Calls of each case.': '시나리오마다 거는 통화 수입니다.',
  'Calls at once.': '동시에 거는 통화 수입니다.',
  'Calls of the whole run.': '전체 통화 수입니다.',
  'Calls that have ended.': '끝난 통화 수입니다.',
  'Finished cases by outcome.': '끝난 시나리오의 결과별 개수입니다.',
  'The admin token that started the run: `admin:` and the id of the token.':
    '실행을 시작한 관리자 토큰입니다. `admin:`과 토큰의 id로 적습니다.',
  'Those never visited.': '한 번도 거치지 않은 것들입니다.',
  'The suite, in YAML.': '시나리오(YAML)입니다.',
  '`flaky`: some of its calls passed.': '`flaky`: 일부 통화만 통과했습니다.',
  'Calls that passed.': '통과한 통화 수입니다.',
  'Duration of all of its calls, in seconds.': '모든 통화에 걸린 시간(초)입니다.',
  'The call, whose transcript has the words; null if it was refused.':
    '통화입니다. 대화 내용은 그 통화에 있습니다. 거절되었으면 null입니다.',
  'Index of the turn in the transcript, from 0; null if it concerns no turn.':
    '대화에서 몇 번째 말인지(0부터)입니다. 특정한 말과 상관없으면 null입니다.',
  'Expectations that failed; empty if the call passed.': '어긋난 기대 조건입니다. 통과했으면 비어 있습니다.',
  'How the persona of the case ended; null without one, or if the agent hung up.':
    '페르소나가 어떻게 끝났는지입니다. 페르소나가 없거나 에이전트가 먼저 끊었으면 null입니다.',
  'Verdicts of the language model, which the suite asks for.': '시나리오가 요청한 언어 모델의 판정입니다.',
  'Finished cases, in the order of the suite.': '끝난 시나리오를 파일의 순서대로 보여 줍니다.',
  'States and transitions of the charts that the calls visited.': '통화가 거쳐 간 차트의 상태와 전이입니다.',
  'Differences to the previous run of the suite on this number; null without one, and before the end.':
    '이 번호에서 같은 시나리오를 지난번 실행한 결과와의 차이입니다. 지난 실행이 없거나 아직 끝나지 않았으면 null입니다.',
  '`reached`, `given_up`: the goal, as the person sees it. `turn_limit`: the person spoke `max_turns` times. `model_failed`: the language model did not answer.':
    '`reached`, `given_up`: 상대방이 보기에 목표를 이뤘거나 포기했습니다. `turn_limit`: `max_turns`번 말했습니다. `model_failed`: 언어 모델이 응답하지 않았습니다.',
  'How the persona of the script ended; null before, and without a persona.':
    '각본의 페르소나가 어떻게 끝났는지입니다. 끝나기 전이거나 페르소나가 없으면 null입니다.',
  'Only as the last step: the language model of the gateway plays a person, `{description, goal, max_turns}`, who speaks at most `max_turns` times and hangs up when the goal is reached or given up.':
    '마지막 단계로만: 게이트웨이의 언어 모델이 `{description, goal, max_turns}`에 적은 사람을 연기합니다. 최대 `max_turns`번 말하고, 목표를 이루거나 포기하면 끊습니다.',
};
