/** The configuration keys of metrics. An unknown one stops the start: a mistyped token would leave them open. Data only. */
import { unset } from './key.js';
import { listenAddress, text } from './kind.js';

export const METRICS_KEYS = {
  'metrics.listen': unset(
    listenAddress(),
    'Address and port on which `GET /metrics` has the [metrics](observability.md) of all processes, such as `127.0.0.1:9187`; port 0 selects a free one and logs it. They have the names of scripts, databases and plugins, so other machines should reach it only with `metrics.token`, or in a network of their own.',
  ),
  'metrics.token': unset(
    text('16 to 512 letters, digits and characters of -._~+/=', /^(?=.{16,512}$)[\w.~+/-]+=*$/),
    'Token that `GET /metrics` needs, as `Authorization: Bearer …`. With it, the service has `/metrics` on its own port too.',
    { secret: true },
  ),
};
