import { Globe } from "lucide-react";
import { useState } from "react";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Field, Input } from "../ui/field.tsx";
import { ALL_ZONES, LOCAL_ZONE, useZone, zoneChoice } from "../ui/zone.ts";

const SHOWN_MAX = 50;

/** In which zone all times are shown. */
export function ZoneMenu() {
  const zone = useZone();
  const [open, setOpen] = useState(false);
  const [sought, setSought] = useState("");
  const wanted = sought.trim().toLowerCase().replaceAll(" ", "_");
  const found = ALL_ZONES.filter((each) => each.toLowerCase().includes(wanted));
  const choose = (value: string) => {
    zoneChoice.choose(value);
    setSought("");
    setOpen(false);
  };
  return (
    <>
      <Button
        look="quiet"
        size="small"
        onClick={() => setOpen(true)}
        icon={<Globe aria-hidden className="size-4" />}
        aria-label={`Times are shown in ${zone}; change`}
      >
        <span className="hidden md:inline">{zone}</span>
      </Button>
      <Dialog
        open={open}
        onClose={() => setOpen(false)}
        title="Show times in"
        about={`Now: ${zone}. Schedules keep their own zone.`}
      >
        <div className="mb-3 flex flex-wrap gap-2">
          <Button onClick={() => choose("local")}>This browser’s ({LOCAL_ZONE})</Button>
          <Button onClick={() => choose("UTC")}>UTC</Button>
        </div>
        <Field label="Another zone" about={`${found.length} of ${ALL_ZONES.length} zones`}>
          {(wiring) => (
            <Input
              {...wiring}
              placeholder="Berlin, America, Tokyo…"
              value={sought}
              onChange={(event) => setSought(event.target.value)}
              onKeyDown={({ key }) => {
                const [first] = found;
                if (key === "Enter" && wanted !== "" && first !== undefined) choose(first);
              }}
            />
          )}
        </Field>
        <ul className="mt-2 max-h-64 overflow-y-auto">
          {found.slice(0, SHOWN_MAX).map((each) => (
            <li key={each}>
              <button
                type="button"
                className="hover:bg-raised w-full rounded px-2 py-1 text-left"
                onClick={() => choose(each)}
              >
                {each}
              </button>
            </li>
          ))}
        </ul>
      </Dialog>
    </>
  );
}
