/** Numbers in few characters. What cannot be said is `-`. */

/** rateText gives things per second: `0`, `0.5`, `12.3`, `1234`. */
export function rateText(rate: number): string {
  if (rate === 0) return '0';
  if (rate < 0.05) return '<0.1';
  return rate < 99.95 ? rate.toFixed(1) : String(Math.round(rate));
}

/** timeText gives a time in seconds with three digits and its unit: `850µs`, `1.23ms`, `12.3s`. */
export function timeText(seconds: number | null): string {
  if (seconds === null) return '-';
  if (seconds < 0.000_999_5) return `${threeDigits(seconds * 1e6)}µs`;
  return seconds < 0.999_5 ? `${threeDigits(seconds * 1e3)}ms` : `${threeDigits(seconds)}s`;
}

function threeDigits(value: number): number {
  return Number(value.toPrecision(3));
}

const UNITS = ['B', 'K', 'M', 'G', 'T'];

/** bytesText gives bytes with two digits or more and a unit, powers of 1024: `512B`, `1.5K`, `120M`. */
export function bytesText(bytes: number | null): string {
  if (bytes === null) return '-';
  let value = bytes;
  let unit = 0;
  for (; value >= 999.5 && unit < UNITS.length - 1; unit++) value /= 1024;
  return `${unit > 0 && value < 9.95 ? value.toFixed(1) : Math.round(value)}${UNITS[unit]!}`;
}

/** partText gives a part in percent: `0%`, `12.3%`. */
export function partText(part: number): string {
  return part === 0 ? '0%' : `${(part * 100).toFixed(1)}%`;
}

/** spanText gives whole seconds as days, hours, minutes and seconds, two of them: `1d 2h`, `3m 7s`, `9s`. */
export function spanText(seconds: number): string {
  const parts = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3_600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'm'],
    [seconds % 60, 's'],
  ] as const;
  const first = Math.max(
    0,
    Math.min(
      parts.findIndex(([count]) => count > 0),
      2,
    ),
  );
  const shown = seconds < 60 ? parts.slice(3) : parts.slice(first, first + 2);
  return shown.map(([count, unit]) => `${count}${unit}`).join(' ');
}
