# Prints counters of this host: CPU, waiting times of processes, drops, clock. Starts as few programs as it can.
# $1 interfaces, $2 process ids, each separated by spaces, $3 interface of the underlay, empty if not known

# @include fragments.sh
devices=$1 processes=$2
read -r line </proc/stat
read -r uptime rest </proc/uptime
count_fragments
echo "$uptime $fragments $line"
echo "wall $(date +%s.%N)"
read -r uptime rest </proc/uptime
echo "uptime $uptime"
while read -r _ dropped squeezed _; do
    echo "softnet $dropped $squeezed"
done </proc/net/softnet_stat 2>/dev/null
while read -r word values; do
    case $word in Udp:) echo "udp $values" ;; esac
done </proc/net/snmp
for device in $devices; do
    for name in rx_dropped tx_dropped; do
        count=
        read -r count 2>/dev/null <"/sys/class/net/$device/statistics/$name"
        [ -z "$count" ] || echo "device $device $name $count"
    done
done
for name in rx_dropped tx_dropped rx_errors tx_errors; do
    count=
    [ -z "$3" ] || read -r count 2>/dev/null <"/sys/class/net/$3/statistics/$name"
    [ -z "$count" ] || echo "underlay $name $count"
done
for process in $processes; do
    for task in "/proc/$process/task"/*; do
        waits=''
        read -r _ waits _ 2>/dev/null <"$task/schedstat"
        [ -z "$waits" ] || echo "waits $process $waits"
    done
done
source_name='' governor='' driver=''
read -r source_name 2>/dev/null </sys/devices/system/clocksource/clocksource0/current_clocksource
read -r governor 2>/dev/null </sys/devices/system/cpu/cpu0/cpufreq/scaling_governor
read -r driver 2>/dev/null </sys/devices/system/cpu/cpu0/cpufreq/scaling_driver
echo "clocksource $source_name"
echo "governor $governor"
echo "scaling_driver $driver"
for count_file in /sys/devices/system/cpu/cpu*/thermal_throttle/core_throttle_count; do
    count=
    read -r count 2>/dev/null <"$count_file"
    [ -z "$count" ] || echo "throttled $count"
done
if command -v vcgencmd >/dev/null 2>&1; then
    flags=$(vcgencmd get_throttled 2>/dev/null)
    echo "raspberry ${flags#throttled=}"
fi
exit 0
