import { Combobox } from "@base-ui/react/combobox";
import { useNow } from "../../ui/clock.ts";
import { Field, Input } from "../../ui/field.tsx";
import { ALL_ZONES, clockText, isKnownZone, LOCAL_ZONE, offsetText } from "../../ui/zone.ts";

const SHOWN_MAX = 80;

/** The likely ones first: this browser's own, and UTC. */
const ZONES = [...new Set([LOCAL_ZONE, "UTC", ...ALL_ZONES])];

export function ZonePicker({
  value,
  onChange,
  error,
  className,
}: {
  value: string;
  onChange: (zone: string) => void;
  error: string | null;
  className?: string | undefined;
}) {
  // Zones have more names than a browser lists.
  const zones = ZONES.includes(value) ? ZONES : [value, ...ZONES];
  const about = isKnownZone(value) ? <ZoneClock zone={value} /> : undefined;
  return (
    <Field label="Time zone" about={about} error={error} className={className}>
      {(wiring) => (
        <Combobox.Root
          items={zones}
          value={value}
          onValueChange={(zone) => zone !== null && onChange(zone)}
          filter={matches}
          limit={SHOWN_MAX}
          autoHighlight
        >
          <Combobox.Input
            {...wiring}
            render={<Input />}
            placeholder="Berlin, America, Tokyo…"
            onFocus={({ currentTarget }) => currentTarget.select()}
          />
          <Combobox.Portal>
            <Combobox.Positioner sideOffset={4} className="z-50">
              <Combobox.Popup className="bg-surface border-line max-h-72 w-[max(var(--anchor-width),18rem)] max-w-[calc(100vw-2rem)] overflow-y-auto rounded-md border p-1 shadow-xl">
                <Combobox.Empty className="text-muted px-2 py-1.5 empty:hidden">There is no such zone.</Combobox.Empty>
                <Combobox.List>
                  {(zone: string) => (
                    <Combobox.Item
                      key={zone}
                      value={zone}
                      className="data-[highlighted]:bg-raised flex cursor-pointer justify-between gap-4 rounded px-2 py-1 data-[selected]:font-semibold"
                    >
                      <span className="min-w-0 [overflow-wrap:anywhere]">{zone}</span>
                      <span className="text-muted shrink-0">
                        {zone === LOCAL_ZONE ? "this browser’s · " : ""}
                        {offsetText(zone, new Date())}
                      </span>
                    </Combobox.Item>
                  )}
                </Combobox.List>
              </Combobox.Popup>
            </Combobox.Positioner>
          </Combobox.Portal>
        </Combobox.Root>
      )}
    </Field>
  );
}

/** It ticks, and nothing around it has to. */
function ZoneClock({ zone }: { zone: string }) {
  const now = new Date(useNow());
  return `There it is ${clockText(now, zone)} now, ${offsetText(zone, now)}.`;
}

function matches(zone: string, sought: string): boolean {
  return zone.toLowerCase().includes(sought.trim().toLowerCase().replaceAll(" ", "_"));
}
